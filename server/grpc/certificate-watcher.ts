import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import { log } from '../logger';
import type { Clock } from '../observe';
import type { ChannelCredentialsConfig } from './credentials-config';
import { CredentialFileError, readCredentialFile } from './read-credential-file';
import { readSystemRoots } from './system-roots';

type TlsConfig = Extract<ChannelCredentialsConfig, { kind: 'tls' }>;
type CaListener = experimental.CaCertificateUpdateListener;
type IdentityListener = experimental.IdentityCertificateUpdateListener;

export interface CertificateWatcherOptions {
  readonly config: TlsConfig;
  readonly clock: Clock;
  /** What is wrong with the files, in words, whenever that changes; empty: nothing. */
  readonly onProblems: (problems: readonly string[]) => void;
}

/** As tls.connect() takes it. */
export interface TlsMaterial {
  readonly ca: Buffer;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** While a file is no good it is read again so soon: somebody may be writing it right now. */
const retryMs = 5_000;

/**
 * gRFC A65: the files are read anew every refresh interval, and the next connection uses what was read last. (The
 * provider of grpc-js forgets good certificates when a file is unreadable for a moment, and takes halves of a pair.)
 * What is no good never replaces what was.
 */
export class CertificateWatcher implements experimental.CertificateProvider {
  /** undefined: not read yet; null: nothing good so far. */
  #ca: experimental.CaCertificateUpdate | null | undefined;
  #identity: experimental.IdentityCertificateUpdate | null | undefined;
  readonly #caListeners = new Set<CaListener>();
  readonly #identityListeners = new Set<IdentityListener>();
  #problems: readonly string[] = [];
  #timer: { cancel(): void } | undefined;
  #isClosed = false;
  readonly #firstRead: Promise<void>;

  constructor(private readonly options: CertificateWatcherOptions) {
    this.#firstRead = this.#read();
  }

  /** What the next connection will be made with; undefined while nothing good was read. */
  get material(): TlsMaterial | undefined {
    if (!this.#ca || (this.options.config.certificateFile !== null && !this.#identity)) return undefined;
    const { certificate: cert, privateKey: key } = this.#identity ?? {};
    return { ca: this.#ca.caCertificate, cert, key };
  }

  /** Resolves when the files were read once, good or bad. */
  whenRead(): Promise<void> {
    return this.#firstRead;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  addCaCertificateListener(listener: CaListener): void {
    this.#caListeners.add(listener);
    if (this.#ca !== undefined) process.nextTick(listener, this.#ca);
  }

  removeCaCertificateListener(listener: CaListener): void {
    this.#caListeners.delete(listener);
  }

  addIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.add(listener);
    if (this.#identity !== undefined) process.nextTick(listener, this.#identity);
  }

  removeIdentityCertificateListener(listener: IdentityListener): void {
    this.#identityListeners.delete(listener);
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { config, clock } = this.options;
    const problems: string[] = [];
    const details: string[] = [];
    const say = (cause: unknown): null => {
      problems.push(cause instanceof Error ? cause.message : String(cause));
      if (cause instanceof CredentialFileError) details.push(cause.details);
      return null;
    };
    const [ca, identity] = await Promise.all([readCa(config).catch(say), readIdentity(config).catch(say)]);
    if (this.#isClosed) return;
    this.#ca = ca ?? this.#ca ?? null;
    this.#identity = identity ?? this.#identity ?? null;
    for (const listener of this.#caListeners) listener(this.#ca);
    for (const listener of this.#identityListeners) listener(this.#identity);
    this.#publish(problems, details);
    const delayMs =
      problems.length === 0 ? config.refreshIntervalMs : Math.min(retryMs, config.refreshIntervalMs);
    this.#timer = clock.setTimeout(() => void this.#read(), delayMs);
  }

  #publish(problems: readonly string[], details: readonly string[]): void {
    const hasCa = this.#ca !== null;
    const hasIdentity = this.#identity !== null || this.options.config.certificateFile === null;
    const effect = hasCa && hasIdentity ? 'what was read before stays in use' : 'no connection without it';
    const reported = problems.map((problem) => `TLS: ${problem}; ${effect}`);
    if (reported.join('\n') === this.#problems.join('\n')) return;
    this.#problems = reported;
    for (const each of details) log('warn', 'grpc', `TLS: ${each}`);
    this.options.onProblems(reported);
  }
}

async function readCa({ caCertificateFile: file }: TlsConfig): Promise<experimental.CaCertificateUpdate> {
  if (file === null) return { caCertificate: await readSystemRoots() };
  const caCertificate = await readCredentialFile(file, 'CA certificate');
  const blocks = caCertificate
    .toString('latin1')
    .match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  const fail = (got: string, details: string, cause?: unknown): CredentialFileError =>
    new CredentialFileError(
      `expected certificates in PEM in the CA certificate file, got ${got}`,
      `${JSON.stringify(file)}: ${details}`,
      { cause },
    );
  if (blocks === null) throw fail('none', 'no PEM');
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw fail(`one that cannot be read (number ${index + 1})`, String(cause), cause);
    }
  }
  return { caCertificate };
}

/** null: we have no identity. */
async function readIdentity(config: TlsConfig): Promise<experimental.IdentityCertificateUpdate | null> {
  const { certificateFile, privateKeyFile } = config;
  if (certificateFile === null || privateKeyFile === null) return null;
  const [certificate, privateKey] = await Promise.all([
    readCredentialFile(certificateFile, 'certificate'),
    readCredentialFile(privateKeyFile, 'private key'),
  ]);
  const files = `${JSON.stringify(certificateFile)} and ${JSON.stringify(privateKeyFile)}`;
  // While both are being replaced, one may be new and the other old.
  if (!isPair(certificate, privateKey)) {
    throw new CredentialFileError(
      'expected a certificate in PEM and its own private key in the certificate and private key files, got no such pair',
      files,
    );
  }
  return { certificate, privateKey };
}

function isPair(certificate: Buffer, privateKey: Buffer): boolean {
  try {
    createSecureContext({ cert: certificate, key: privateKey });
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}
