import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { decodeBody } from '../../codec/decode-body';
import { ConfigError } from '../../config-error';
import type { Body } from '../../observe';
import { askableTypes, buildBootstrap } from './build-bootstrap';
import { tryEnvoy } from './find-envoy';

/** `not-asked`: see the text. `no-answer`: Envoy ended or took too long without a verdict. */
export interface EnvoyVerdict {
  readonly answer: 'ACK' | 'NACK' | 'not-asked' | 'no-answer';
  /** The error of Envoy, or the reason why it was not asked or did not answer. */
  readonly text: string;
}

export interface AskedResource {
  readonly body: Body;
  /** Parts of it were redacted, so that Envoy would read other values. */
  readonly isRedacted: boolean;
}

const deadlineMs = 10_000;
const mostOutputBytes = 1024 * 1024;
const textChars = 2_000;

/**
 * Envoy would run such code, or open such a file, when it reads the config. xdscope gives it no config that a request could
 * have chosen for that.
 */
const running = /\.(?:lua|wasm|golang|dynamic_modules)\.|\.(?:access_loggers\.file|loggers\.file)\./;
const reading = new Set([
  'filename',
  'path',
  'inlineCode',
  'watchedDirectory',
  'pathConfigSource',
  'environmentVariable',
]);

/** Asks the Envoy of this machine, with `--mode validate`, whether it accepts a resource. One process runs at a time. */
export class EnvoyValidator {
  readonly version: string;
  readonly #command: string;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ command, version }: { readonly command: string; readonly version: string }) {
    this.#command = command;
    this.version = version;
  }

  /** `clusters`: the names of the clusters that the Envoy has besides. Rejects if the temporary file cannot be written. */
  ask(resource: AskedResource, clusters: Iterable<string>, signal?: AbortSignal): Promise<EnvoyVerdict> {
    const reason = whyNotAsked(resource);
    if (reason !== '') return Promise.resolve({ answer: 'not-asked', text: reason });
    const asked = this.#last.then(() => this.#run(buildBootstrap(resource.body, clusters), signal));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #run(bootstrap: Uint8Array, signal: AbortSignal | undefined): Promise<EnvoyVerdict> {
    signal?.throwIfAborted();
    const dir = await mkdtemp(path.join(os.tmpdir(), 'xdscope-check-'));
    try {
      const file = path.join(dir, 'bootstrap.pb');
      await writeFile(file, bootstrap, { mode: 0o600 });
      return await this.#validate(file, dir, signal);
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }

  #validate(file: string, cwd: string, signal: AbortSignal | undefined): Promise<EnvoyVerdict> {
    const args = ['--mode', 'validate', '-c', file, '--allow-unknown-static-fields', '--disable-hot-restart'];
    const limits = { timeout: deadlineMs, maxBuffer: mostOutputBytes, killSignal: 'SIGKILL' } as const;
    return new Promise((resolve) => {
      execFile(
        this.#command,
        [...args, '--concurrency', '1', '--log-format', '%v', '--log-level', 'error'],
        { ...limits, cwd, env: { NODE_ENV: 'production' }, ...(signal && { signal }) },
        (error, stdout, stderr) => {
          if (error === null) resolve({ answer: 'ACK', text: '' });
          else if (error.code === 1) resolve({ answer: 'NACK', text: errorOf(`${stdout}${stderr}`, file) });
          else
            resolve({
              answer: 'no-answer',
              text: `Envoy ended with ${error.signal ?? error.code ?? error.message}`,
            });
        },
      );
    });
  }
}

/** Throws a ConfigError if the command is not that of an Envoy. `command` empty or absent: none is asked. */
export async function openEnvoyValidator(
  command: string | null | undefined,
): Promise<EnvoyValidator | undefined> {
  if (!command) return undefined;
  const found = await tryEnvoy(command);
  if (found.kind === 'found') return new EnvoyValidator(found);
  throw new ConfigError(`--check-envoy: expected the path of an Envoy, got ${command}: ${found.reason}`);
}

function whyNotAsked({ body: { typeUrl, bytes }, isRedacted }: AskedResource): string {
  if (!askableTypes.has(typeUrl)) return 'resources of this type are not part of a bootstrap';
  if (isRedacted) return 'its secrets were redacted';
  const part = findRunning(decodeBody(typeUrl, bytes).json, '');
  return part === '' ? '' : `it can run code or open files: ${part}`;
}

/** The path of the first part that runs code or opens files; empty if there is none. */
function findRunning(json: unknown, at: string): string {
  if (typeof json !== 'object' || json === null) return '';
  for (const [key, value] of Object.entries(json)) {
    const place = at === '' ? key : `${at}.${key}`;
    const isType = key === '@type' || key === 'typeUrl';
    const isRunning = isType && typeof value === 'string' && running.test(value);
    const isOpening = reading.has(key) && !isMatcherPath(at, value);
    if (isRunning || isOpening || key.startsWith('xdscope.')) return place;
    const found = findRunning(value, place);
    if (found !== '') return found;
  }
  return '';
}

/** The `path` of a route match, a cookie or an HTTP health check is that of a URL, and is not a file. */
function isMatcherPath(at: string, value: unknown): boolean {
  if (/(?:^|\.)(?:match|httpHealthCheck|cookie)$/i.test(at)) return true;
  return typeof value === 'object' && value !== null && !('path' in value);
}

/** The last error that Envoy prints, without the path of the temporary file. */
function errorOf(output: string, file: string): string {
  const start = output.lastIndexOf('error initializing configuration');
  const text = (start === -1 ? output : output.slice(start)).replaceAll(file, 'the bootstrap').trim();
  const [, reason = text] = /^error initializing configuration '[^']*': (.*)$/s.exec(text) ?? [];
  return reason.slice(0, textChars);
}
