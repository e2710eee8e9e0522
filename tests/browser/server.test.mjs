import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileFor } from './server.mjs';

const CASES = [
  ['/', '/www/index.html'],
  ['/?embed#state', '/www/index.html'],
  ['/pkg/fusescape.js', '/www/pkg/fusescape.js'],
  ['/a%20name.css', '/www/a name.css'],
  ['/../secret', undefined],
  ['/%2e%2e/secret', undefined],
  ['/pkg/..%2f..%2fsecret', undefined],
  ['/../www-of-another/file', undefined],
  ['/%', undefined],
  ['/nul%00', undefined],
];

test('an address names a file below the root or nothing', () => {
  for (const [address, file] of CASES) {
    assert.equal(fileFor('/www', address), file, address);
  }
});
