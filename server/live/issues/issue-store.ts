import { createHash } from 'node:crypto';
import { IssueIndex } from '@/lib/issues/issue-index';
import { mayBeginIssue } from '@/lib/issues/issue-observations';
import { SourceOutages } from '@/lib/issues/source-outages';
import type { ClientState } from '@/lib/observation/client-state';
import type { ClientConfigChanged, Recorded } from '@/lib/observation/observation';
import type { ResourceState } from '@/lib/observation/resource-state';
import { isImportedClient } from '@/lib/views/client/is-imported-client';
import type { StreamNotice } from '@/lib/views/stream/schema';
import type { EpochMs } from '@/lib/xds/units';
import type { Clock } from '../../observe';
import type { LogFold } from '../log-folds/log-follower';

interface IssueStoreOptions {
  readonly clock: Clock;
  readonly publish: (notice: StreamNotice) => void;
}

/** Equal keys have equal ids in every process. */
export function issueIdOf(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 16);
}

/** The issues of clients, from the log and from later observations. */
export class IssueStore implements LogFold {
  readonly #options: IssueStoreOptions;
  readonly index = new IssueIndex({ idOf: issueIdOf });
  readonly outages = new SourceOutages();
  isRestoring = true;
  /** The time of the oldest observation that was read, or null for the beginning of the log. */
  since: EpochMs | null = null;
  /** Incremented when an issue changes. */
  revision = 0;
  readonly #removed = new Set<string>();

  constructor(options: IssueStoreOptions) {
    this.#options = options;
  }

  mayMatter(clientId: string | null, json: string): boolean {
    if (clientId === null) return json.includes('"source-down"') || json.includes('"source-up"');
    return this.index.hasOpen(clientId) || mayBeginIssue(json);
  }

  fold(observation: Recorded): void {
    this.#note(this.index.fold(observation).size > 0 || this.outages.fold(observation));
  }

  adopt(report: Recorded<ClientConfigChanged>, row: ResourceState): void {
    if (!this.index.isKnown(report, row)) this.fold(report);
  }

  restored(since: EpochMs | null): void {
    this.since = since;
    this.isRestoring = false;
    this.#options.publish('issues');
  }

  /** The client was evicted from the live state. Resolves when the issues are changed. */
  async forget({ clientId, seq, reports }: ClientState): Promise<void> {
    if (!isImportedClient({ reports: [...reports.values()] })) {
      this.#note(this.index.forgetClient(clientId, this.#options.clock.now(), seq).size > 0);
      return;
    }
    this.#removed.add(clientId);
    // A removed file may have thousands of clients, whose issues are searched for together.
    await Promise.resolve();
    this.#note(this.index.removeClients(this.#removed).size > 0);
    this.#removed.clear();
  }

  /** An issue was muted or unmuted. */
  changed(): void {
    this.revision += 1;
    this.#options.publish('issues');
  }

  #note(isChanged: boolean): void {
    if (!isChanged) return;
    this.revision += 1;
    if (!this.isRestoring) this.#options.publish('issues');
  }
}
