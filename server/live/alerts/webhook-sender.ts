import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { EpochMs } from '@/lib/xds/units';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import { explainOutcome } from '../../transport/http-client/explain-http';
import { type HttpOutcome, type RunningCall, startHttpCall } from '../../transport/http-client/http-call';
import type { WebhookUrl } from './webhook-url';

interface WebhookSenderOptions {
  readonly clock: Clock;
  readonly url: WebhookUrl;
  readonly maxWaiting?: number;
}

interface WebhookFacts {
  /** host:port, without the path, which may contain a secret. */
  readonly target: string;
  readonly sent: number;
  readonly waiting: number;
  /** Messages that were given up: the queue was full, or the receiver rejected them. */
  readonly dropped: number;
  readonly lastSentAt?: EpochMs | undefined;
  /** The reason why the newest attempt failed; empty if it did not. */
  readonly problem: string;
}

const connectTimeoutMs = 5_000;
const timeoutMs = 10_000;
const maxAnswerBytes = 64 * 1024;
const firstRetryMs = 1_000;
const slowestRetryMs = 5 * 60_000;

/** Posts messages to a webhook one after the other, with retries; the oldest waiting one is dropped if too many wait. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;

  readonly #agent: HttpAgent | HttpsAgent;
  readonly #waiting: string[] = [];
  #facts = { sent: 0, dropped: 0, lastSentAt: undefined as EpochMs | undefined, problem: '' };
  #retryMs = firstRetryMs;
  #isBusy = false;
  #isClosed = false;
  #timer: { cancel(): void } | undefined;
  #running: RunningCall | undefined;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;

    const Agent = options.url.isTls ? HttpsAgent : HttpAgent;
    this.#agent = new Agent({ keepAlive: false, maxSockets: 1 });
  }

  get facts(): WebhookFacts {
    return { ...this.#facts, target: this.#options.url.target.text, waiting: this.#waiting.length };
  }

  send(message: unknown): void {
    const { maxWaiting = 1_000 } = this.#options;
    this.#waiting.push(JSON.stringify(message));
    while (this.#waiting.length > maxWaiting) {
      // The message that is being sent remains.
      this.#waiting.splice(this.#isBusy ? 1 : 0, 1);
      this.#facts.dropped += 1;
    }
    if (!this.#isBusy && this.#timer === undefined) void this.#next();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#running?.abort();
    this.#agent.destroy();
  }

  async #next(): Promise<void> {
    const [body] = this.#waiting;
    if (body === undefined || this.#isClosed) return;
    const { target, path, isTls } = this.#options.url;
    this.#isBusy = true;
    this.#running = startHttpCall({
      ...{ method: 'POST', target, path, isTls, body, agent: this.#agent, clock: this.#options.clock },
      headers: { 'content-type': 'application/json', 'user-agent': 'xdscope' },
      ...{ connectTimeoutMs, timeoutMs, maxBytes: maxAnswerBytes },
    });
    const outcome = await this.#running.outcome;
    this.#isBusy = false;
    if (this.#isClosed || outcome.kind === 'aborted') return;
    if (isAccepted(outcome)) {
      this.#waiting.shift();
      this.#facts = {
        ...this.#facts,
        sent: this.#facts.sent + 1,
        lastSentAt: this.#options.clock.now(),
        problem: '',
      };
      this.#retryMs = firstRetryMs;
      void this.#next();
      return;
    }
    this.#note(outcome);
    if (isFinal(outcome)) {
      this.#waiting.shift();
      this.#facts.dropped += 1;
      void this.#next();
      return;
    }
    this.#timer = this.#options.clock.setTimeout(() => {
      this.#timer = undefined;
      void this.#next();
    }, this.#retryMs);
    this.#retryMs = Math.min(slowestRetryMs, this.#retryMs * 2);
  }

  #note(outcome: Exclude<HttpOutcome, { kind: 'aborted' }>): void {
    const { problem } = explainOutcome(outcome, {
      target: this.#options.url.target,
      request: 'POST',
      expected: 'a status of 200 to 299',
      hint: 'Is this the URL of a webhook receiver?',
    });
    if (this.#facts.problem === '') log('warn', 'alerts', problem.message);
    this.#facts.problem = problem.message;
  }
}

function isAccepted(outcome: HttpOutcome): boolean {
  return outcome.kind === 'answer' && outcome.status >= 200 && outcome.status < 300;
}

/** Alertmanager: 5xx and 429 are retried; the receiver will not accept what it rejected with another status. */
function isFinal(outcome: HttpOutcome): boolean {
  return outcome.kind === 'answer' && outcome.status < 500 && outcome.status !== 429;
}
