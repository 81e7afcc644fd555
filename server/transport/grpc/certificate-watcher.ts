import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext, rootCertificates } from 'node:tls';
import { messageOf } from '@/lib/format/message-of';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { ChannelCredentialsConfig } from './credentials-config';
import { CredentialFileError, readCredentialFile } from './read-credential-file';

type TlsConfig = Extract<ChannelCredentialsConfig, { kind: 'tls' }>;

interface CertificateWatcherOptions {
  readonly config: TlsConfig;
  readonly clock: Clock;
  /** Called with the problems of the files whenever they change. The list is empty once the files are usable. */
  readonly onProblems: (problems: readonly string[]) => void;
}

/** The certificates and the key in PEM, as tls.connect() accepts them. */
export interface TlsMaterial {
  readonly ca: Buffer;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

/** An unusable file is read again this soon, because it may be in the middle of being written. */
const retryMs = 5_000;

/**
 * Reads the files of TLS credentials again every refresh interval (gRFC A65); the next connection uses the last usable
 * material. An unreadable file, or a certificate without its own key, never replaces usable material.
 */
export class CertificateWatcher {
  readonly #options: CertificateWatcherOptions;
  #ca: Buffer | undefined;
  #identity: Identity | undefined;
  #problems: readonly string[] = [];
  #timer: { cancel(): void } | undefined;
  #isClosed = false;
  readonly #firstRead: Promise<void>;

  constructor(options: CertificateWatcherOptions) {
    this.#options = options;
    this.#firstRead = this.#read();
  }

  /** The material of the next connection. Undefined until all files have been usable. */
  get material(): TlsMaterial | undefined {
    if (this.#ca === undefined || !this.#hasIdentity) return undefined;
    return { ca: this.#ca, cert: this.#identity?.cert, key: this.#identity?.key };
  }

  /** Resolves when the files have been read once, usable or not. */
  whenRead(): Promise<void> {
    return this.#firstRead;
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  get #hasIdentity(): boolean {
    return this.#identity !== undefined || !hasIdentity(this.#options.config);
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    const { config, clock } = this.#options;
    const problems: string[] = [];
    const details: string[] = [];
    const addProblem = (cause: unknown): undefined => {
      problems.push(messageOf(cause));
      if (cause instanceof CredentialFileError) details.push(cause.details);
    };
    const [ca, identity] = await Promise.all([
      readCa(config).catch(addProblem),
      readIdentity(config).catch(addProblem),
    ]);
    if (this.#isClosed) return;
    this.#ca = ca ?? this.#ca;
    this.#identity = identity ?? this.#identity;
    this.#reportProblems(problems, details);
    const delayMs =
      problems.length === 0 ? config.refreshIntervalMs : Math.min(retryMs, config.refreshIntervalMs);
    this.#timer = clock.setTimeout(() => void this.#read(), delayMs);
  }

  #reportProblems(problems: readonly string[], details: readonly string[]): void {
    const effect =
      this.material === undefined ? 'no connection without it' : 'what was read before stays in use';
    const reported = problems.map((problem) => `TLS: ${problem}; ${effect}`);
    if (reported.join('\n') === this.#problems.join('\n')) return;
    this.#problems = reported;
    for (const each of details) log('warn', 'grpc', `TLS: ${each}`);
    this.#options.onProblems(reported);
  }
}

async function readCa({ caCertificateFile: file, caCertificate }: TlsConfig): Promise<Buffer> {
  if (caCertificate === undefined && file === null) return readSystemRoots();
  const content =
    file === null ? Buffer.from(caCertificate ?? '') : await readCredentialFile(file, 'CA certificate');
  const blocks = content
    .toString('latin1')
    .match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  const fail = (got: string, details: string, cause?: unknown): CredentialFileError =>
    new CredentialFileError(
      `expected certificates in PEM in the CA certificate${file === null ? '' : ' file'}, got ${got}`,
      `${file === null ? 'the bootstrap' : JSON.stringify(file)}: ${details}`,
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
  return content;
}

/** The authorities that Node trusts by default, including those of NODE_EXTRA_CA_CERTS, in PEM. */
async function readSystemRoots(): Promise<Buffer> {
  const { NODE_EXTRA_CA_CERTS: extra = '' } = process.env;
  const more = extra === '' ? '' : (await readCredentialFile(extra, 'CA certificate')).toString('latin1');
  return Buffer.from([...rootCertificates, more].join('\n'), 'latin1');
}

interface Identity {
  readonly cert: Buffer;
  readonly key: Buffer;
}

function hasIdentity({ certificateFile, identity }: TlsConfig): boolean {
  return certificateFile !== null || identity !== undefined;
}

/** Resolves to undefined if no client certificate is configured. */
async function readIdentity(config: TlsConfig): Promise<Identity | undefined> {
  const { certificateFile, privateKeyFile, identity } = config;
  if (identity !== undefined) return readInlineIdentity(identity);
  if (certificateFile === null || privateKeyFile === null) return undefined;
  const [cert, key] = await Promise.all([
    readCredentialFile(certificateFile, 'certificate'),
    readCredentialFile(privateKeyFile, 'private key'),
  ]);
  // While both files are being replaced, one may be new and the other old.
  if (!isPair(cert, key)) {
    throw new CredentialFileError(
      'expected a certificate in PEM and its own private key in the certificate and private key files, got no such pair',
      `${JSON.stringify(certificateFile)} and ${JSON.stringify(privateKeyFile)}`,
    );
  }
  return { cert, key };
}

function readInlineIdentity({ certificate, privateKey }: NonNullable<TlsConfig['identity']>): Identity {
  const [cert, key] = [Buffer.from(certificate), Buffer.from(privateKey)];
  if (isPair(cert, key)) return { cert, key };
  throw new CredentialFileError(
    'expected a certificate in PEM and its own private key, got no such pair',
    'the bootstrap',
  );
}

function isPair(certificate: Buffer, privateKey: Buffer): boolean {
  try {
    createSecureContext({ cert: certificate, key: privateKey });
    return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(privateKey));
  } catch {
    return false;
  }
}
