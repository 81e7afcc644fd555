import { formatBytes } from '@/lib/format/bytes';
import type { Problem } from '@/lib/observation/observation';
import { exceedsDefaultLimit } from '@/lib/xds/message-limit';
import { formatResourceType } from '@/lib/xds/resource-type';
import type { Clock } from '../../../observe';
import { initialSourceStatus, type SourceStatus } from '../../../source-status';
import type { ServerConfig } from '../../../transport/bootstrap/server-config';
import type { Authority } from '../client/authority';
import type { ReportedResponse } from '../client/xds-client-handler';
import {
  afterClosed,
  afterExplained,
  afterOpened,
  afterResponse,
  afterSilence,
  initialLinkStatus,
  type LinkStatus,
  silenceMs,
} from '../stream/link-status';
import type { ServerLink } from '../stream/server-link';
import type { ChannelStreamEnd } from '../stream/xds-channel';

interface ProbeStatusOptions {
  readonly clientId: string;
  readonly clock: Clock;
  /** Returns the authorities, the top-level one first. */
  readonly authorities: () => readonly Authority[];
  readonly onStatus: (status: SourceStatus) => void;
  readonly onUp: () => void;
  readonly onDown: (problem: Problem) => void;
}

interface Remarks {
  readonly first: string;
  readonly more: number;
}

/** Number of characters. The log contains the complete text. */
const maxRemarkLength = 300;

/** The status of a probe, which summarizes all its servers. */
export class ProbeStatus {
  readonly #options: ProbeStatusOptions;
  #status: SourceStatus = initialSourceStatus;
  #isPaused = false;
  /** The status of each link in use, in the order of their use. */
  readonly #links = new Map<ServerLink, LinkStatus>();
  /** The sizes of the last responses that exceed the default limit of gRPC clients, by type. */
  readonly #oversized = new Map<string, number>();
  /** The rejections and notes of the last response, by type. */
  readonly #remarks = new Map<string, Remarks>();
  /** The problems of the credential files, by server. */
  readonly #credentialProblems = new Map<string, readonly string[]>();
  /** The links that have had no response since their last stream opened. */
  readonly #silences = new Map<ServerLink, { cancel(): void }>();
  /** A defect of xdscope, reset by the next start. */
  #fault: Problem | null = null;

  constructor(options: ProbeStatusOptions) {
    this.#options = options;
  }

  get current(): SourceStatus {
    return this.#status;
  }

  onStarted(): void {
    this.#isPaused = false;
    this.#fault = null;
    this.#update({});
  }

  onPaused(): void {
    this.#isPaused = true;
    this.#oversized.clear();
    this.#remarks.clear();
    this.#update({});
  }

  onStopped(): void {
    for (const link of [...this.#silences.keys()]) this.#stopSilence(link);
    this.#links.clear();
    this.#update({});
  }

  onConnecting(link: ServerLink): void {
    this.#set(link, this.#of(link));
    this.#update({ lastAttemptAt: this.#options.clock.now() });
  }

  onOpened(link: ServerLink): void {
    const opened = afterOpened(this.#of(link), this.#options.clock.now());
    this.#set(link, opened);
    this.#update({});
    this.#stopSilence(link);
    if (opened.state === 'up') return;
    const report = (): void => {
      this.#set(link, afterSilence(this.#of(link)));
      this.#update({});
    };
    this.#silences.set(link, this.#options.clock.setTimeout(report, silenceMs));
  }

  #stopSilence(link: ServerLink): void {
    this.#silences.get(link)?.cancel();
    this.#silences.delete(link);
  }

  onResponse(link: ServerLink, { response, read }: ReportedResponse, repeats: number): void {
    this.#stopSilence(link);
    const { typeUrl, sizeBytes, notes = [] } = response;
    const { received, problems, remarks } = read;
    const now = this.#options.clock.now();
    const { answers, latencyMs, lastChangedAt } = this.#status;
    const before = this.#of(link);
    if (exceedsDefaultLimit(sizeBytes)) this.#oversized.set(typeUrl, sizeBytes);
    else this.#oversized.delete(typeUrl);
    const all = [...problems.map((problem) => `NACKed: ${problem}`), ...remarks, ...notes];
    const [first] = all;
    if (first === undefined) this.#remarks.delete(typeUrl);
    else this.#remarks.set(typeUrl, { first, more: all.length - 1 });
    this.#set(link, afterResponse(before, typeUrl));
    this.#update({
      lastSuccessAt: now,
      lastChangedAt: received.length > 0 ? now : lastChangedAt,
      answerBytes: sizeBytes,
      answers: answers + repeats,
      latencyMs: before.state === 'up' ? latencyMs : Math.max(0, now - before.openedAt),
    });
  }

  onClosed(link: ServerLink, end: ChannelStreamEnd): void {
    this.#stopSilence(link);
    const isServerFailing = end.isFailure && link.isFailing;
    const status = afterClosed(this.#of(link), end, isServerFailing);
    if (end.retryInMs === null && status.open === 0 && !end.isFailure) this.#links.delete(link);
    else this.#set(link, status);
    this.#update({ failures: this.#status.failures + (end.isFailure ? 1 : 0) });
    if (!isServerFailing) return;
    end.explain().then((problem) => {
      // A response, a pause or another end has arrived meanwhile.
      if (this.#links.get(link)?.epoch !== status.epoch) return;
      this.#set(link, afterExplained(this.#of(link), problem ?? endedEmpty));
      this.#update({});
    });
  }

  /** Must be called when an authority has switched servers, which its note reports. */
  refresh(): void {
    this.#update({});
  }

  onCredentialProblems({ target }: ServerConfig, problems: readonly string[]): void {
    this.#credentialProblems.set(target.text, problems);
    this.#update({});
  }

  onFault(problem: Problem): void {
    this.#fault = problem;
    this.#update({});
  }

  #of(link: ServerLink): LinkStatus {
    return this.#links.get(link) ?? initialLinkStatus;
  }

  #set(link: ServerLink, status: LinkStatus): void {
    this.#links.set(link, status);
  }

  #update(change: Partial<SourceStatus>): void {
    const before = this.#status;
    const links = [...this.#links.values()];
    const down = this.#downProblem() ?? this.#fault;
    const isUp = links.some(({ state }) => state === 'up');
    const state = this.#isPaused ? 'paused' : isUp ? 'up' : down !== null ? 'down' : 'connecting';
    const problem = state === 'down' ? down : null;
    const isOpen = links.some(({ open }) => open > 0);
    const seenAt = change.lastSuccessAt ?? this.#status.clients.get(this.#options.clientId);
    this.#status = {
      ...before,
      ...change,
      state,
      problem,
      notes: [...(this.#isPaused ? [] : this.#notes()), ...[...this.#credentialProblems.values()].flat()],
      clients:
        isOpen && !this.#isPaused
          ? new Map([[this.#options.clientId, seenAt ?? this.#options.clock.now()]])
          : new Map(),
    };
    this.#options.onStatus(this.#status);
    if (state === 'up' && before.state !== 'up') this.#options.onUp();
    if (problem !== null && (before.state !== 'down' || before.problem?.message !== problem.message)) {
      this.#options.onDown(problem);
    }
  }

  /** If several servers are down, the message contains the problem of each. */
  #downProblem(): Problem | null {
    const down = [...this.#links].flatMap(([{ name }, { state, problem }]) =>
      state === 'down' && problem !== null ? [{ name, problem }] : [],
    );
    const [first] = down;
    if (first === undefined || down.length === 1) return first?.problem ?? null;
    const each = down.map(({ name, problem: { message } }) =>
      message.includes(name) ? message : `${name}: ${message}`,
    );
    return { ...first.problem, message: each.join('; ') };
  }

  #notes(): string[] {
    const isOne = this.#links.size === 1;
    return [
      ...[...this.#links].flatMap(([link, { notes, streamNotes }]) =>
        [...notes, ...streamNotes.values()].map((note) => (isOne ? note : `${link.name}: ${note}`)),
      ),
      ...this.#options.authorities().flatMap(noteOf),
      ...[...this.#oversized].map(([typeUrl, sizeBytes]) => {
        const what = `${formatResourceType(typeUrl)} response of ${formatBytes(sizeBytes)}`;
        return `${what}: gRPC clients stop at 4 MiB, unless they are configured otherwise`;
      }),
      ...[...this.#remarks].map(([typeUrl, { first, more }]) => {
        const shown = first.length > maxRemarkLength ? `${first.slice(0, maxRemarkLength)}…` : first;
        return `${formatResourceType(typeUrl)}: ${shown}${more === 0 ? '' : ` (and ${more} more)`}`;
      }),
    ];
  }
}

function noteOf(authority: Authority): string[] {
  const { name, active, isFallenBack, haveAllFailed } = authority;
  const whose = name === null ? '' : `authority "${name}": `;
  // For the top-level authority, the problem of the source reports it.
  if (haveAllFailed) return name === null ? [] : [`${whose}no server can be reached`];
  return isFallenBack ? [`${whose}fallen back to ${active?.name ?? 'no server'}`] : [];
}

const endedEmpty: Problem = {
  code: 'NO_RESPONSE',
  message: 'expected a DiscoveryResponse, but the server ended the stream without one',
  hint: 'Does it serve this node id?',
};
