import { lstat, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '@/lib/format/message-of';
import type { Problem } from '@/lib/observation/observation';
import type { DocumentFormat } from '../../../codec/codec';
import type { Clock } from '../../../observe';
import { FileWatch } from '../../../transport/watched-files/file-watch';
import { readLimitedFile } from '../../../transport/watched-files/read-limited-file';
import { toEnvelope } from '../response/decode-response';
import type { ResourceCodec } from '../response/resource-codec';
import type { ResponseEnvelope } from '../response/response-envelope';
import type { SentRequest, Subscription, ValidatedResponse, XdsChannelHandler } from '../stream/xds-channel';
import { hasGained, isSameSubscription, isWanted } from '../stream/xds-channel';

export interface FileSource {
  readonly path: string;
  readonly watchedDirectory: string | null;
}

export interface FileSubscriptionOptions {
  readonly apiVersion: 'v3' | 'v2';
  readonly codec: ResourceCodec;
  readonly clock: Clock;
  readonly nextStreamId: () => string;
  readonly maxMessageBytes: number;
  readonly debounceMs: number;
  readonly pollIntervalMs: number;
}

const nothing: Subscription = { wildcard: false, names: new Set() };

/**
 * Reads one type from a file with a DiscoveryResponse while something of the type is wanted.
 *
 * As in Envoy, the file is read again when another file is moved to its path, not when it is written to, because the writer
 * may not be done. With a watched directory, links are followed, and a changed link counts as a move (the "..data" of
 * Kubernetes); without one, a link is not followed. A file that was moved away, changed and moved back is read again if the
 * system reports the moves. Without such events (see FileWatch) only another inode or time of creation counts as a move.
 */
export class FileSubscription {
  readonly #typeUrl: string;
  readonly #source: FileSource;
  readonly #options: FileSubscriptionOptions;
  readonly #handler: XdsChannelHandler;
  #subscription: Subscription = nothing;
  #isStarted = false;
  #watch: FileWatch | null = null;
  #held: FileIdentity | null = null;
  /** Another file at the path, which is read once it no longer changes. */
  #candidate: FileIdentity | null = null;
  /** Null while there is no file. */
  #streamId: string | null = null;
  /** The last reported subscription of the stream. */
  #reported: Subscription | null = null;
  /** The last reported problem, empty if none was reported. */
  #reportedProblem = '';
  #version = '';
  #updates = 0;
  #rejected = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(
    typeUrl: string,
    source: FileSource,
    options: FileSubscriptionOptions,
    handler: XdsChannelHandler,
  ) {
    this.#typeUrl = typeUrl;
    this.#source = source;
    this.#options = options;
    this.#handler = handler;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (isWanted(this.#subscription)) this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#end('the probe was stopped');
    await this.#turn;
  }

  /** The file is read again if more resources are wanted, because it may contain them. */
  subscribe(subscription: Subscription): void {
    const before = this.#subscription;
    if (isSameSubscription(before, subscription)) return;
    this.#subscription = subscription;
    if (!this.#isStarted) return;
    if (!isWanted(subscription)) {
      this.#end('the type is not subscribed any more');
    } else if (this.#watch === null) {
      this.#begin();
    } else {
      if (this.#streamId !== null) this.#emitSubscription(this.#streamId);
      if (hasGained(before, subscription)) this.#check({ isMoved: true, isForced: true });
    }
  }

  /** Returns the request that a client would send to a server. */
  answer({ versionInfo, verdict }: ValidatedResponse): SentRequest | undefined {
    this.#updates += 1;
    if (verdict.kind === 'accepted') this.#version = versionInfo;
    else this.#rejected += 1;
    if (this.#streamId === null) return undefined;
    return verdict.kind === 'accepted'
      ? this.#request('ack', '')
      : this.#request('nack', verdict.errorDetail);
  }

  #begin(): void {
    const { clock, debounceMs, pollIntervalMs } = this.#options;
    const watch = new FileWatch({
      ...this.#source,
      clock,
      debounceMs,
      pollIntervalMs,
      onCheck: (isMoved) => this.#check({ isMoved, isForced: false }),
    });
    this.#watch = watch;
    this.#turn = this.#turn.then(() => watch.start());
    this.#handler.onConnecting();
    this.#check({ isMoved: true, isForced: true });
  }

  #end(why: string): void {
    this.#watch?.stop();
    this.#watch = null;
    this.#candidate = null;
    this.#reportedProblem = '';
    this.#close({ code: 'CANCELLED', details: why, problem: null, retryInMs: null });
  }

  #check(how: { readonly isMoved: boolean; readonly isForced: boolean }): void {
    const watch = this.#watch;
    if (watch === null) return;
    this.#turn = this.#turn.then(async () => {
      if (this.#watch !== watch) return;
      try {
        await this.#checkOnce(watch, how);
      } catch (error) {
        if (this.#watch === watch) this.#fail(explainFault(error, this.#source.path));
      }
    });
  }

  async #checkOnce(watch: FileWatch, how: { isMoved: boolean; isForced: boolean }): Promise<void> {
    const found = await identifyFile(this.#source.path, this.#source.watchedDirectory !== null);
    if (this.#watch !== watch) return;
    if (found === undefined) {
      this.#candidate = null;
      this.#fail(explainAbsence(this.#source.path));
      return;
    }
    if (!how.isForced && !this.#isNews(found, how.isMoved)) return;
    // A new file may still be written.
    const isComplete = how.isForced || (this.#candidate !== null && isUntouched(this.#candidate, found));
    this.#candidate = isComplete ? null : found;
    if (isComplete) await this.#read(watch, found);
    else watch.checkSoon();
  }

  #isNews(found: FileIdentity, isMoved: boolean): boolean {
    if (this.#held === null) return true;
    return isMoved ? !isUntouched(this.#held, found) : isReplaced(this.#held, found);
  }

  async #read(watch: FileWatch, found: FileIdentity): Promise<void> {
    this.#held = found;
    const read = await readLimitedFile(this.#source.path, this.#options.maxMessageBytes);
    const envelope =
      read.kind === 'rejected'
        ? this.#rejection(read.reason, '', Number(found.sizeBytes))
        : await this.#decode(read.bytes);
    if (this.#watch !== watch) return;
    await this.#handler.onResponse(this.#open(), envelope);
  }

  async #decode(bytes: Buffer): Promise<ResponseEnvelope> {
    const { codec, apiVersion } = this.#options;
    const digest = codec.digest(bytes);
    const document = await codec.readDocument(bytes, formatOfFile(this.#source.path));
    if (document.kind === 'unreadable') return this.#rejection(document.reason, digest, bytes.length);
    const as = { isDelta: false, typeUrl: this.#typeUrl, apiVersion };
    const result = toEnvelope(document, as, bytes.length);
    if (result.kind === 'unreadable') return this.#rejection(result.reason, digest, bytes.length);
    const { envelope } = result;
    return envelope.versionInfo === '' ? { ...envelope, versionInfo: digest } : envelope;
  }

  /** Builds the envelope of a file without a DiscoveryResponse, which changes no held resource. */
  #rejection(reason: string, versionInfo: string, sizeBytes: number): ResponseEnvelope {
    return {
      isDelta: false,
      apiVersion: this.#options.apiVersion,
      typeUrl: this.#typeUrl,
      versionInfo,
      nonce: '',
      controlPlane: '',
      sizeBytes,
      resources: [],
      removedResources: [],
      resourceErrors: [],
      problems: [`${this.#source.path}: ${reason}`],
    };
  }

  /** Opens the stream of observations, which lasts as long as the file exists. */
  #open(): string {
    const known = this.#streamId;
    if (known === null) {
      this.#reportedProblem = '';
      const streamId = this.#options.nextStreamId();
      this.#streamId = streamId;
      const method = `watch ${this.#source.path}`;
      this.#handler.onStreamOpened({ streamId, method, typeUrl: this.#typeUrl });
    }
    const streamId = this.#streamId ?? '';
    // The resource timers start with the reported subscription.
    this.#emitSubscription(streamId);
    return streamId;
  }

  #emitSubscription(streamId: string): void {
    if (this.#reported === this.#subscription) return;
    this.#reported = this.#subscription;
    this.#handler.onSubscriptionSent(streamId, this.#request('subscription', ''));
  }

  #request(reason: SentRequest['reason'], errorDetail: string): SentRequest {
    return {
      isDelta: false,
      reason,
      typeUrl: this.#typeUrl,
      withNode: false,
      versionInfo: this.#version,
      responseNonce: '',
      resourceNames: [],
      unsubscribed: [],
      initialResourceVersions: new Map(),
      errorDetail,
    };
  }

  /** Reports a problem once, although the file is checked every few seconds. */
  #fail(problem: Problem): void {
    this.#held = null;
    if (this.#streamId === null && this.#reportedProblem === problem.message) return;
    this.#reportedProblem = problem.message;
    const retryInMs = this.#options.pollIntervalMs;
    this.#close({ code: problem.code, details: problem.message, problem, retryInMs });
  }

  #close(end: { code: string; details: string; problem: Problem | null; retryInMs: number | null }): void {
    const { code, details, problem, retryInMs } = end;
    const streamId = this.#streamId;
    this.#streamId = null;
    this.#reported = null;
    if (streamId === null && problem === null) return;
    const counts = streamId === null ? '' : ` (${this.#updates} updates, ${this.#rejected} rejected)`;
    this.#handler.onStreamClosed(streamId ?? this.#options.nextStreamId(), {
      code,
      details: `${details}${counts}`,
      explain: async () => problem,
      typeUrl: this.#typeUrl,
      wasOpened: streamId !== null,
      hadResponse: streamId !== null,
      isFailure: problem !== null,
      retryInMs,
    });
  }
}

function explainAbsence(file: string): Problem {
  return {
    code: 'NOT_FOUND',
    message: `${file}: expected a file with a DiscoveryResponse, got none`,
    hint: 'It is read as soon as it exists.',
  };
}

function explainFault(error: unknown, file: string): Problem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^E[A-Z]+$/.test(code)) {
    return {
      code: 'UNREADABLE',
      message: `${file}: expected a readable file, got ${code}`,
      hint: '',
    };
  }
  return { code: 'INTERNAL', message: `${file}: xdscope could not read it: ${messageOf(error)}`, hint: '' };
}

const formats = new Map<string, DocumentFormat>([
  ['.pb', 'binary'],
  ['.pb_text', 'text'],
  ['.pbtxt', 'text'],
  ['.textproto', 'text'],
  ['.json', 'json'],
]);

/** As in Envoy, the extension determines the format. All others are YAML, which includes JSON. */
function formatOfFile(file: string): DocumentFormat {
  return formats.get(path.extname(file).toLowerCase()) ?? 'yaml';
}

/** Identifies the file at a path, and its content by time and size. */
interface FileIdentity {
  /** The path with all links resolved. */
  readonly realPath: string;
  readonly device: bigint;
  readonly inode: bigint;
  /** Distinguishes files that reuse the number of an inode. */
  readonly birthtimeNs: bigint;
  readonly mtimeNs: bigint;
  readonly sizeBytes: bigint;
}

/** Resolves to undefined if there is no file. Without `followLinks`, a change of a link's target is not noticed. */
async function identifyFile(file: string, followLinks: boolean): Promise<FileIdentity | undefined> {
  try {
    const [realPath, found] = await Promise.all([
      followLinks ? realpath(file) : file,
      (followLinks ? stat : lstat)(file, { bigint: true }),
    ]);
    const { dev: device, ino: inode, birthtimeNs, mtimeNs, size: sizeBytes } = found;
    return { realPath, device, inode, birthtimeNs, mtimeNs, sizeBytes };
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}

function isReplaced(before: FileIdentity, now: FileIdentity): boolean {
  return (
    before.realPath !== now.realPath ||
    before.device !== now.device ||
    before.inode !== now.inode ||
    before.birthtimeNs !== now.birthtimeNs
  );
}

function isUntouched(before: FileIdentity, now: FileIdentity): boolean {
  return !isReplaced(before, now) && before.mtimeNs === now.mtimeNs && before.sizeBytes === now.sizeBytes;
}

function isAbsence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
