import { formatCounted } from '../../format/count';
import { formatIsoTime } from '../../format/iso-time';
import { endedText } from '../../issues/issue-record';
import type { EpochMs } from '../../xds/units';
import type { Issue } from './schema';

/** Alertmanager, "webhook_config": version 4 of the message. */
export interface WebhookMessage {
  readonly version: '4';
  readonly groupKey: string;
  readonly truncatedAlerts: number;
  readonly status: 'firing' | 'resolved';
  readonly receiver: string;
  readonly groupLabels: Readonly<Record<string, string>>;
  readonly commonLabels: Readonly<Record<string, string>>;
  readonly commonAnnotations: Readonly<Record<string, string>>;
  readonly externalURL: string;
  readonly alerts: readonly Alert[];
}

export interface Alert {
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** ISO 8601, as are all times in a message of Alertmanager. */
  readonly startsAt: string;
  readonly endsAt: string;
  readonly generatorURL: string;
  readonly fingerprint: string;
}

const receiver = 'xdscope';
/** Alertmanager's value of `endsAt` as long as an alert fires: Go's zero time. */
const noEnd = '0001-01-01T00:00:00Z';
/** Alertmanager limits no text; receivers do. */
const textChars = 1_000;

/** Builds the alert of an issue. The labels do not change while the issue lasts, except the severity. */
export function buildAlert(
  issue: Pick<Issue, 'id' | 'kind' | 'severity' | 'title' | 'impact' | 'cause' | 'since' | 'resource'> &
    Pick<Issue, 'clients' | 'group' | 'nextStep'>,
  {
    externalUrl,
    endsAt,
    firedAt,
  }: { readonly externalUrl: string; readonly endsAt: string | null; readonly firedAt: string },
): Alert {
  const { id, kind, severity, title, impact, cause, since, resource, group, nextStep } = issue;
  return {
    status: endsAt === null ? 'firing' : 'resolved',
    labels: {
      alertname: 'XdscopeIssue',
      issue: id,
      kind,
      severity,
      ...(resource !== undefined && { type: resource.service, resource: resource.name }),
    },
    annotations: {
      summary: cut(title),
      description: cut(`${impact.text}${impact.reason === '' ? '' : `: ${impact.reason}`}`),
      cause: cut(
        cause.map(({ text, at }) => (at === undefined ? text : `${text} ${formatIsoTime(at)}`)).join(' -> '),
      ),
      clients: cut(listClients(issue)),
      ...(group !== undefined && { group: formatCounted(group.count, group.noun) }),
      next_step: nextStep,
    },
    startsAt: since === undefined ? firedAt : formatIsoTime(since),
    endsAt: endsAt ?? noEnd,
    generatorURL: `${externalUrl}/issues/${encodeURIComponent(id)}`,
    fingerprint: id,
  };
}

/** Alertmanager has one status for what no longer fires. The annotation `end` states what is not a repair. */
export function endAlert(alert: Alert, state: Issue['state'] | undefined, endsAt: EpochMs): Alert {
  const end = state === 'ended' ? endedText : state === 'muted' ? 'The issue is muted in xdscope' : undefined;
  return {
    ...alert,
    status: 'resolved',
    annotations: { ...alert.annotations, ...(end !== undefined && { end }) },
    endsAt: formatIsoTime(endsAt),
  };
}

/** A probe of xdscope serves nobody, and a file states what was. An issue that only these have alerts nobody. */
export function isWithoutLiveClients({ clients }: Pick<Issue, 'clients'>): boolean {
  return clients.total > 0 && liveClients(clients) === 0;
}

function liveClients({ total, probes, imported }: Issue['clients']): number {
  return total - probes - imported;
}

function listClients({ clients }: Pick<Issue, 'clients'>): string {
  const live = clients.items.filter(({ isProbe, isImported }) => !isProbe && !isImported);
  const named = live.map(({ nodeId }) => nodeId);
  const count = liveClients(clients);
  return `${count}: ${named.join(', ')}${count > named.length ? ', ...' : ''}`;
}

/** Each issue is a group of its own, so that a receiver can follow it from its start to its end. */
export function buildWebhookMessage(alert: Alert, externalUrl: string): WebhookMessage {
  const { alertname = '', issue = '' } = alert.labels;
  return {
    version: '4',
    groupKey: `{}:{alertname=${JSON.stringify(alertname)}, issue=${JSON.stringify(issue)}}`,
    truncatedAlerts: 0,
    status: alert.status,
    receiver,
    groupLabels: { alertname, issue },
    commonLabels: alert.labels,
    commonAnnotations: alert.annotations,
    externalURL: externalUrl,
    alerts: [alert],
  };
}

function cut(text: string): string {
  return text.length <= textChars ? text : `${text.slice(0, textChars)}…`;
}
