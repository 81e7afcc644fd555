// `npm start`: on a fresh clone installs and builds, then runs the server in this very process, so that signals and
// exit codes are its own. (What malloc and V8 are reported at the start is in package.json: decision 13.)
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertNodeVersion, buildIfStale, installPackages, root } from './prepare.mjs';

assertNodeVersion();
installPackages();
buildIfStale();

process.env.NODE_ENV = 'production';
process.env.NEXT_TELEMETRY_DISABLED = '1';
await import(pathToFileURL(path.join(root, '.build', 'main.mjs')).href);
