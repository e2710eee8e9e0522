// Its worker.

import './files.js';
import '../../../target/published/worker.js';
