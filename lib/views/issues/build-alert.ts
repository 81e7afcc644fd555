import { formatIsoTime } from '../../format/iso-time';
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
    Pick<Issue, 'clients' | 'nextStep'>,
  {
    externalUrl,
    endsAt,
    firedAt,
  }: { readonly externalUrl: string; readonly endsAt: string | null; readonly firedAt: string },
): Alert {
  const { id, kind, severity, title, impact, cause, since, resource, nextStep } = issue;
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
      next_step: nextStep,
    },
    startsAt: since === undefined ? firedAt : formatIsoTime(since),
    endsAt: endsAt ?? noEnd,
    generatorURL: `${externalUrl}/issues/${encodeURIComponent(id)}`,
    fingerprint: id,
  };
}

/** A probe of xdscope serves nobody, so an issue that only probes have alerts nobody. */
export function isOnlyOfProbes({ clients: { total, probes } }: Pick<Issue, 'clients'>): boolean {
  return total > 0 && total === probes;
}

function listClients({ clients: { total, probes, items } }: Pick<Issue, 'clients'>): string {
  const named = items.filter(({ isProbe }) => !isProbe).map(({ nodeId }) => nodeId);
  const count = total - probes;
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
