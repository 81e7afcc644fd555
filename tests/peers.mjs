// `npm run test:peers -- [--full] [peer[@version]...]`: builds xdscope and the suite, then runs real xDS peers beside
// xdscope. See tests/peers/README.md.
import { assertNodeVersion, buildIfStale, installPackages } from '../server/prepare.mjs';

assertNodeVersion();
installPackages();
if (process.env.XDSCOPE_BUILT !== '1') buildIfStale();
// esbuild is one of the packages.
const { runProgram } = await import('./peers/run-program.mjs');
await runProgram({
  suite: 'tests/peers/suite.ts',
  'grpc-js-xds-client': 'tests/peers/grpc-js-xds/client.ts',
});
