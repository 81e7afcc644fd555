// `npm run test:peers -- [--full] [--interop] [peer[@version]...]`: builds xdscope and the suite, then runs real xDS peers beside
// xdscope. See tests/peers/README.md.
import { parseArgs } from 'node:util';
import { assertNodeVersion, buildIfStale, installPackages } from '../server/prepare.mjs';
import { installDebianPackages } from './debian-packages.mjs';
import { runVitest } from './run-vitest.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean' },
    istio: { type: 'boolean', default: false },
    'envoy-gateway': { type: 'boolean', default: false },
    interop: { type: 'boolean', default: false },
    chapter: { type: 'string', multiple: true },
    resource: { type: 'string' },
    seed: { type: 'string' },
    'idle-minutes': { type: 'string' },
    out: { type: 'string' },
    'save-server-checks': { type: 'boolean', default: false },
    'save-interop-runs': { type: 'boolean', default: false },
  },
});
// The stories are part of a run of all peers.
const isOfFurther = values.istio || values['envoy-gateway'] || values.interop;
const isWhole = positionals.length === 0 && (values.full || !isOfFurther) && values.chapter === undefined;

assertNodeVersion();
installPackages();
if (process.env.XDSCOPE_BUILT !== '1') buildIfStale();
if (isWhole) installDebianPackages();
const stories = isWhole ? await runVitest(['--project=peers']) : { passed: 0, failures: [] };
// esbuild is one of the packages.
const { runProgram } = await import('./peers/run-program.mjs');
await runProgram(
  {
    suite: 'tests/peers/suite.ts',
    'grpc-js-xds-client': 'tests/peers/grpc-js-xds/client.ts',
  },
  [
    ...process.argv.slice(2),
    `--stories-passed=${stories.passed}`,
    ...stories.failures.map((failure) => `--story-failed=${failure}`),
  ],
);
