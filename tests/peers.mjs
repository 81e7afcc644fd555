// `npm run test:peers -- [--full] [peer[@version]...]`: builds xdscope and the suite, then runs real xDS peers beside
// xdscope. See tests/peers/README.md.
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { assertNodeVersion, buildIfStale, installPackages, root } from '../server/prepare.mjs';

assertNodeVersion();
installPackages();
if (process.env.XDSCOPE_BUILT !== '1') buildIfStale();
await build({
  absWorkingDir: root,
  entryPoints: {
    suite: 'tests/peers/suite.ts',
    'grpc-js-xds-client': 'tests/peers/grpc-js-xds/client.ts',
  },
  outdir: '.build/peers',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  logLevel: 'warning',
});
const args = ['--enable-source-maps', '.build/peers/suite.mjs', ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
