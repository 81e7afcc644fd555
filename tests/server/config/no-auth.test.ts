import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findExposedListeners } from '@/server/config/find-exposed-listeners';
import { readConfig } from '@/server/config/read-config';
import { isLoopback } from '@/server/transport/targets/is-loopback';

const dir = mkdtempSync(path.join(os.tmpdir(), 'xdscope-no-auth-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function read(argv: string[], env: Record<string, string> = {}) {
  return readConfig({ argv, env, cwd: dir, version: '0.0.0' });
}

function writeConfig(name: string, content: object): string {
  writeFileSync(path.join(dir, name), JSON.stringify(content));
  return name;
}

const rejected =
  /^--host: expected a loopback address, or XDSCOPE_TOKEN or --insecure-no-auth beside it .*, got "/;

describe('an address that other machines reach', () => {
  it.each(['0.0.0.0', '::', '10.0.0.2', 'xdscope.example', '127.1', 'localhost.example', '::ffff:10.0.0.2'])(
    'is rejected as --host: %s',
    (host) => {
      expect(() => read(['--host', host])).toThrow(rejected);
      expect(() => read([], { XDSCOPE_HOST: host })).toThrow(rejected);
      expect(() => read(['--config', writeConfig('host.json', { host })])).toThrow(rejected);
      expect(() => read(['--host', host], { XDSCOPE_INSECURE_NO_AUTH: '0' })).toThrow(rejected);
    },
  );

  it('is accepted with the flag, the variable or the setting of the file', () => {
    const file = writeConfig('both.json', { host: '0.0.0.0', insecureNoAuth: true });
    for (const config of [
      read(['--host', '0.0.0.0', '--insecure-no-auth']),
      read(['--host', '0.0.0.0'], { XDSCOPE_INSECURE_NO_AUTH: '1' }),
      read(['--config', file]),
    ]) {
      expect(config.host).toBe('0.0.0.0');
      expect(findExposedListeners(config)).toEqual([
        '--host: other machines can reach 0.0.0.0, and there is no sign-in: whoever reaches it reads every config',
      ]);
    }
  });

  it('is accepted with a token of the operator, which --no-token turns off', () => {
    const env = { XDSCOPE_TOKEN: 'chosen-by-the-operator' };
    const config = read(['--host', '0.0.0.0'], env);
    expect(config.token).toEqual({ value: 'chosen-by-the-operator' });
    expect(findExposedListeners(config)).toEqual([
      '--host: other machines can reach 0.0.0.0, and there is no encryption: whoever reads the traffic knows the token',
    ]);
    expect(() => read(['--host', '0.0.0.0', '--no-token'], env)).toThrow(rejected);
  });

  it('has a warning each as --tap, --lrs-listen and --replay', () => {
    const exposed = read([
      ...['--tap', '0.0.0.0:18001=127.0.0.1:15010', '--tap', '127.0.0.1:18002=127.0.0.1:15010'],
      ...['--lrs-listen', '10.0.0.2:18000', '--replay', 'x.xdscope@[::]:18003'],
    ]);
    expect(findExposedListeners(exposed).map((warning) => warning.split(',')[0])).toEqual([
      '--tap: other machines can reach 0.0.0.0',
      '--lrs-listen: other machines can reach 10.0.0.2',
      '--replay: other machines can reach ::',
    ]);
  });
});

describe('a loopback address', () => {
  it.each([
    '127.0.0.1',
    '127.8.9.10',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::ffff:127.0.0.1',
    'localhost',
    'LocalHost',
  ])('needs neither flag nor warning: %s', (host) => {
    expect(isLoopback(host)).toBe(true);
    expect(findExposedListeners(read(['--host', host]))).toEqual([]);
  });

  it('is the default of every listener', () => {
    expect(findExposedListeners(read(['--replay', 'x.xdscope']))).toEqual([]);
  });
});

describe('the token', () => {
  const env = { XDSCOPE_TOKEN: 'chosen-by-the-operator' };

  it.each([
    [[], {}, 'generated'],
    [[], env, { value: env.XDSCOPE_TOKEN }],
    [['--no-token'], env, 'none'],
    [['--insecure-no-auth'], {}, 'none'],
    [['--insecure-no-auth'], env, { value: env.XDSCOPE_TOKEN }],
    [['open', 'a.json'], env, { value: env.XDSCOPE_TOKEN }],
  ])('of %j with %j is %j', (argv, variables, expected) => {
    expect(read(argv, variables).token).toEqual(expected);
  });

  it.each(['0', 'too short', 'with a blank in its middle', 'x'.repeat(257)])(
    'is rejected without being repeated: %j',
    (token) => {
      expect(() => read([], { XDSCOPE_TOKEN: token })).toThrow(
        `environment: token: expected 16 to 256 letters, digits and "-._~", got ${token.length} characters`,
      );
    },
  );
});
