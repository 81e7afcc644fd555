// `npm start` installs and builds on a fresh clone, then runs the server in the same process, so that signals and exit
// codes are its own. package.json sets the options of malloc and V8 (decision 13).
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { assertNodeVersion, buildIfStale, installPackages, root } from './prepare.mjs';

assertNodeVersion();
installPackages();
buildIfStale();

process.env.NODE_ENV = 'production';
process.env.NEXT_TELEMETRY_DISABLED = '1';
await import(pathToFileURL(path.join(root, '.build', 'main.mjs')).href);
