// `npm run soak -- [--minutes N]`: builds xdscope and the soak, then runs the lab and real xDS peers beside xdscope until
// its memory, handles and disk must have levelled off. See tests/peers/README.md.
import { assertNodeVersion, buildIfStale, installPackages } from '../server/prepare.mjs';

assertNodeVersion();
installPackages();
if (process.env.XDSCOPE_BUILT !== '1') buildIfStale();
// esbuild is one of the packages.
const { runProgram } = await import('./peers/run-program.mjs');
await runProgram({
  soak: 'tests/peers/soak/soak.ts',
  'grpc-js-xds-client': 'tests/peers/grpc-js-xds/client.ts',
});
