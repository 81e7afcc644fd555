import * as z from 'zod';
import { formatIsoTime } from '@/lib/format/iso-time';
import { messageOf } from '@/lib/format/message-of';
import {
  type Alert,
  buildAlert,
  buildWebhookMessage,
  endAlert,
  isWithoutLiveClients,
} from '@/lib/views/issues/build-alert';
import type { Issue, IssuePage } from '@/lib/views/issues/schema';
import { ApiError } from '../../api-error';
import { log } from '../../logger';
import type { Clock } from '../../observe';
import type { KeptValue, StateEntry } from '../../store/kept-value';

interface IssueAlertsOptions {
  readonly clock: Clock;
  readonly kept: KeptValue<Content>;
  /** The URL of the pages, without a slash at its end. */
  readonly externalUrl: string;
  readonly listOpen: () => Promise<Pick<IssuePage, 'items' | 'restoring'>>;
  /** Rejects with the status 404 if there is no such issue, as after the end of one of the recorder. */
  readonly find: (issueId: string) => Promise<Pick<Issue, 'state'>>;
  readonly send: (message: unknown) => void;
}

const alertSchema = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: z.record(z.string(), z.string()),
  annotations: z.record(z.string(), z.string()),
  startsAt: z.string(),
  endsAt: z.string(),
  generatorURL: z.string(),
  fingerprint: z.string(),
});
const content = z.object({ firing: z.array(z.object({ alert: alertSchema, sentAt: z.number() })) });
type Content = z.infer<typeof content>;

export const alertsEntry: StateEntry<Content> = {
  key: 'alerted-issues',
  schema: content,
  initial: { firing: [] },
};

const checkMs = 5_000;
const repeatMs = 4 * 3_600_000;
/** During a rollout the clients of an issue change with each poll: Alertmanager's group_interval by default. */
const updateMs = 5 * 60_000;

/**
 * Sends an alert when an issue opens, when its severity or its onset changes, at most every five minutes when its title,
 * its clients or its group do, every four hours while it lasts, and when it ends. An issue that only probes of xdscope and clients of files have is listed and sends none. What fires is
 * stored, so that an issue that ends while xdscope does not run is resolved after the next start.
 */
export class IssueAlerts {
  readonly #options: IssueAlertsOptions;
  /** undefined: as stored, perhaps by another process. */
  #firing: Map<string, { readonly alert: Alert; readonly sentAt: number }> | undefined;
  #timer: { cancel(): void } | undefined;
  #isClosed = false;

  constructor(options: IssueAlertsOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.setTimeout(() => {
      this.check()
        .catch((error: unknown) => {
          log('error', 'alerts', `issues were not listed: ${messageOf(error)}`);
        })
        .finally(() => {
          if (!this.#isClosed) this.start();
        });
    }, checkMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  async check(): Promise<void> {
    const { clock, listOpen } = this.#options;
    const { items, restoring } = await listOpen();
    // Until the log is read, an issue that is missing may still be open.
    if (restoring) this.#firing = undefined;
    if (restoring || this.#isClosed) return;
    this.#firing ??= await this.#read();
    const firing = this.#firing;
    const now = clock.now();
    const open = new Map(
      items.filter((issue) => !isWithoutLiveClients(issue)).map((issue) => [issue.id, issue]),
    );
    let isChanged = false;
    for (const [id, { alert }] of firing) {
      if (open.has(id)) continue;
      this.#send(endAlert(alert, await this.#findState(id), now));
      firing.delete(id);
      isChanged = true;
    }
    for (const issue of open.values()) {
      const known = firing.get(issue.id);
      const alert = this.#alertOf(issue, known?.alert.startsAt ?? formatIsoTime(now));
      if (known !== undefined && now - known.sentAt < intervalMs(known.alert, alert)) continue;
      this.#send(alert);
      firing.set(issue.id, { alert, sentAt: now });
      isChanged = true;
    }
    if (isChanged) await this.#write([...firing.values()]);
  }

  async #findState(issueId: string): Promise<Issue['state'] | undefined> {
    try {
      return (await this.#options.find(issueId)).state;
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** `firedAt`: when the alert fired first, which an alert without a known onset keeps. */
  #alertOf(issue: Issue, firedAt: string): Alert {
    const { externalUrl } = this.#options;
    return buildAlert(issue, { externalUrl, endsAt: null, firedAt });
  }

  #send(alert: Alert): void {
    this.#options.send(buildWebhookMessage(alert, this.#options.externalUrl));
  }

  async #read() {
    const { kept } = this.#options;
    await kept.refresh();
    return new Map(kept.value.firing.map((each) => [each.alert.fingerprint, each]));
  }

  async #write(firing: Content['firing']): Promise<void> {
    await this.#options.kept
      .change(() => content.parse({ firing }))
      .catch((error: unknown) => {
        log('error', 'alerts', `alerts that fire are not stored: ${messageOf(error)}`);
      });
  }
}

/**
 * The least time between two alerts of an issue. Counts of requests change often; a receiver is notified of what decides
 * about its urgency, and of whom it concerns.
 */
function intervalMs(before: Alert, now: Alert): number {
  if (before.labels.severity !== now.labels.severity || before.startsAt !== now.startsAt) return 0;
  const [one, other] = [before.annotations, now.annotations];
  return one.summary === other.summary && one.clients === other.clients && one.group === other.group
    ? repeatMs
    : updateMs;
}
