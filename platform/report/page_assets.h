// Assets that pages contain, compiled in (embed_page.cmake).
#pragma once

namespace weft {

const char* page_style();       // page.css
const char* page_script();      // page.js
const char* page_d3();          // d3.min.js of the package libjs-d3; empty where it was not installed
const char* page_d3_licence();  // its copyright file, which goes with every copy

}  // namespace weft
