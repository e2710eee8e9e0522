// A worker of the page in a notebook.

import './files.js';
import '../../../target/published/worker.js';
