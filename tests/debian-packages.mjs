import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The files by which a package of Debian is recognised. */
const files = {
  chromium: '/usr/bin/chromium',
  'chromium-headless-shell': '/usr/bin/chromium-headless-shell',
  'python3-grpcio': '/usr/lib/python3/dist-packages/grpc/__init__.py',
  'postgresql-15': '/usr/lib/postgresql/15/bin/postgres',
  pgbouncer: '/usr/sbin/pgbouncer',
};

/** Returns the names that are not installed afterwards. */
function installFromDebian(...names) {
  const missing = names.filter((name) => !existsSync(files[name]));
  if (missing.length === 0) return [];
  process.stdout.write(`xdscope: installing ${missing.join(', ')} from Debian's packages (once)\n`);
  const apt = (...args) => {
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
    const [command, ...others] = [...asRoot, 'apt-get', ...args];
    spawnSync(command, others, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  };
  apt('update', '-qq');
  for (const name of missing) apt('install', '-y', '-qq', '--no-install-recommends', name);
  return missing.filter((name) => !existsSync(files[name]));
}

/**
 * Older releases of Debian have no headless shell. Without a C-core client or a PostgreSQL their tests are skipped, with
 * the reason.
 */
export function installDebianPackages() {
  const missing = installFromDebian(
    ...['chromium-headless-shell', 'python3-grpcio', 'postgresql-15', 'pgbouncer'],
  );
  if (missing.includes('chromium-headless-shell')) missing.push(...installFromDebian('chromium'));
  for (const name of missing) {
    process.stderr.write(`xdscope: apt-get install ${name}: expected ${files[name]}, and it is not there\n`);
  }
  if (missing.includes('chromium')) process.exit(1);
}
