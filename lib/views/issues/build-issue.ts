import { by } from '../../collections/compare';
import { formatCount, formatCounted } from '../../format/count';
import type { ImpactOfIssue } from '../../issues/describe-impact';
import type { IssueAt } from '../../issues/issue-at';
import type { CertificateOfIssue, IssuePeriod } from '../../issues/issue-record';
import { parseNackText } from '../../nacks/parse-nack-text';
import { statementsOfResource } from '../../nacks/statements-of-resource';
import type { Connection } from '../../observation/connection';
import { addressOfServer } from '../../observation/failing-server';
import { formatResourceType, SDS } from '../../xds/resource-type';
import type { EpochMs } from '../../xds/units';
import { describeIssueKind, nameResource, noUsableHost } from './describe-issue-kind';
import type { Issue, IssueEvidence } from './schema';

interface IssueFacts {
  readonly found: IssueAt;
  readonly impact: ImpactOfIssue;
  /** The number of clients whose effective config was assessed. */
  readonly assessed: number;
  /** The listener that the worst impact is about. */
  readonly listener: string | null;
  readonly mutedUntil: EpochMs | undefined;
  readonly requests: Issue['requests'];
  /** The channels of the process of a client to other targets than xds:, as it reports them now. */
  readonly otherChannelsOf: (clientId: string) => readonly Connection[];
  readonly nodeIdOf: (clientId: string) => string;
  readonly isProbe: (clientId: string) => boolean;
  readonly isImported: (clientId: string) => boolean;
  readonly clientsListed: number;
  /** The time since which no source has reported a client; undefined: one does. */
  readonly unobservedSince: (clientId: string) => EpochMs | undefined;
}

/** Builds an issue of clients as the API states it. */
export function buildIssue(facts: IssueFacts): Issue {
  const { found, impact, assessed, mutedUntil, requests } = facts;
  const { record, since, resolvedAt, periods } = found;
  const { kind, typeUrl, name } = record.cause;
  const { title, nextStep } = describeIssueKind(record.cause, periods);
  return {
    id: record.id,
    kind,
    state: resolvedAt !== undefined ? stateOfEnd(found) : mutedUntil === undefined ? 'open' : 'muted',
    severity: impact.severity,
    title,
    resource: typeUrl === '' ? undefined : { typeUrl, service: formatResourceType(typeUrl), name },
    since,
    resolvedAt,
    mutedUntil,
    impact: { level: impact.level, text: impact.text, reason: impact.reason, assessed },
    cause: [...buildCauseSteps(found), ...describeChannels(facts), ...describeOutage(facts)],
    clients: {
      total: periods.length,
      probes: periods.filter(({ clientId }) => facts.isProbe(clientId)).length,
      imported: periods.filter(({ clientId }) => facts.isImported(clientId)).length,
      items: periods.slice(0, facts.clientsListed).map((period) => buildClient(period, facts)),
    },
    requests,
    group: undefined,
    nextStep,
    evidence: listEvidence(facts),
  };
}

/** The period that ended last decides: a client that went away before, as in a rollout, does not show how the issue ended. */
function stateOfEnd({ periods, resolvedAt }: IssueAt): Issue['state'] {
  return periods.some(({ to, end }) => to === resolvedAt && end === 'gone') ? 'ended' : 'resolved';
}

function buildClient(
  { clientId, from: since, to: until, end, versionInfo }: IssuePeriod,
  { nodeIdOf, isProbe, isImported }: Pick<IssueFacts, 'nodeIdOf' | 'isProbe' | 'isImported'>,
): Issue['clients']['items'][number] {
  return {
    ...{ clientId, nodeId: nodeIdOf(clientId) },
    ...{ isProbe: isProbe(clientId), isImported: isImported(clientId) },
    ...{ since, until, end, versionInfo },
  };
}

function listEvidence({ found, listener }: IssueFacts): Issue['evidence'] {
  const { record, periods } = found;
  const { kind, typeUrl, name, rule, certificate } = record.cause;
  const [first] = periods;
  const list: (Issue['evidence'][number] | undefined)[] = [];
  const add = (label: string, target: IssueEvidence): void => void list.push({ label, target });
  if (kind === 'nack') add('Rejected payload', { kind: 'nack', groupId: record.id });
  if (first !== undefined) {
    const { clientId, fromSeq: seq } = first;
    if (typeUrl !== '' && name !== '') add('Resource', { kind: 'resource', clientId, typeUrl, name });
    if (listener !== null) add('Effective config', { kind: 'resolved', clientId, listener });
    if (kind === 'unanswered') add('Propagation', { kind: 'propagation', clientId });
    if (certificate !== undefined)
      add('Certificates', { kind: 'certificates', q: certificate.serialNumber || certificate.path || name });
    if (kind === 'unreachable' || kind === 'unreached' || rule === noUsableHost)
      add('Connections', { kind: 'connections', clientId });
    if (kind === 'tear') add('Config tears', { kind: 'tears', clientId });
    if (kind === 'finding' || kind === 'notice') add('Validation', { kind: 'validation', clientId });
    if (seq !== null) add('First event', { kind: 'event', clientId, seq });
  }
  return list.filter((each) => each !== undefined);
}

type Step = Issue['cause'][number];

const reasonChars = 300;
const namesListed = 3;

/** The chain from the push over the resource and its field to what changed; links that no source reports are left out. */
function buildCauseSteps({ record, periods }: IssueAt): Step[] {
  const { kind, typeUrl, name, text, isTimeout, certificate } = record.cause;
  const [first] = periods;
  if (first === undefined) return [];
  const { clientId, fromSeq: seq, versionInfo, keepsAccepted } = first;
  const event = seq === null ? undefined : ({ kind: 'event', clientId, seq } as const);
  const service = formatResourceType(typeUrl);
  const push: Step[] =
    versionInfo === '' ? [] : [{ step: 'push', text: `${service} version ${versionInfo}`, evidence: event }];
  const resource: Step = {
    step: 'resource',
    text: nameResource(typeUrl, name),
    evidence: name === '' ? undefined : { kind: 'resource', clientId, typeUrl, name },
  };
  switch (kind) {
    case 'nack': {
      const change = { step: 'change', evidence: { kind: 'nack', groupId: record.id } } as const;
      return [
        ...push,
        resource,
        ...fieldsOf(record.cause, record.id),
        ...(keepsAccepted === true
          ? [{ ...change, text: 'An earlier payload was accepted' }]
          : keepsAccepted === false
            ? [{ ...change, text: 'No payload was accepted before' }]
            : []),
      ];
    }
    case 'absent': {
      const gone = isTimeout === true ? 'The resource timer expired' : 'No response contains it';
      const removed = push.length > 0 ? 'This response does not contain it' : gone;
      return [...push, resource, { step: 'change', text: removed, evidence: event }];
    }
    case 'received-error':
      return [resource, { step: 'report', text: text.slice(0, reasonChars), evidence: event }];
    case 'unanswered': {
      const sent = `${first.resources} sent, without an answer`;
      return [resource, { step: 'report', text: sent, evidence: { kind: 'propagation', clientId } }];
    }
    case 'unreached': {
      const requested = `${formatCounted(first.resources, `${service} resource`)} requested, without a response`;
      return [{ step: 'report', text: requested, evidence: event }];
    }
    case 'unreachable': {
      const reported = text === '' ? 'Attempts to connect fail; the client reports no error' : text;
      return [
        { step: 'report', text: reported.slice(0, reasonChars), evidence: { kind: 'connections', clientId } },
      ];
    }
    case 'tear':
      return [
        { ...resource, evidence: { kind: 'tears', clientId } },
        ...(text === ''
          ? []
          : [{ step: 'field', text: text.slice(0, reasonChars), evidence: undefined } as const]),
      ];
    case 'unserved':
      return [resource, { step: 'report', text: text.slice(0, reasonChars), evidence: undefined }];
    case 'certificate':
      if (certificate === undefined) return [];
      return [
        typeUrl === SDS.typeUrl ? resource : { ...resource, text: `Envoy lists ${certificate.path}` },
        ...stepsOfCertificate(certificate),
      ];
    case 'finding':
      return [
        resource,
        { step: 'field', text: text.slice(0, reasonChars), evidence: { kind: 'validation', clientId } },
      ];
    case 'notice':
      return [
        ...(name === '' ? [] : [resource]),
        { step: 'report', text, evidence: { kind: 'validation', clientId } },
      ];
  }
}

function stepsOfCertificate({
  names,
  serialNumber,
  isExpired,
  expiresAt: at,
  capturedAt,
}: CertificateOfIssue): Step[] {
  const what = [
    ...(names.length === 0 ? [] : [`issued for ${names.slice(0, namesListed).join(', ')}`]),
    ...(serialNumber === '' ? [] : [`serial number ${serialNumber}`]),
  ].join(', ');
  return [
    ...(what === '' ? [] : [{ step: 'field' as const, text: what }]),
    { step: 'report', text: isExpired ? 'Expired' : 'Expires', at },
    ...(capturedAt === undefined ? [] : [{ step: 'report' as const, text: 'Captured', at: capturedAt }]),
  ];
}

/** What lasts is known until the sources of its clients stopped to answer. */
function describeOutage({ found: { periods, resolvedAt }, unobservedSince }: IssueFacts): Step[] {
  if (resolvedAt !== undefined) return [];
  const since = periods.flatMap(({ clientId }) => unobservedSince(clientId) ?? []);
  if (since.length === 0) return [];
  const who =
    since.length === periods.length
      ? ''
      : ` at ${formatCount(since.length)} of ${formatCounted(periods.length, 'client')}`;
  return [
    {
      step: 'report',
      text: `Whether it lasts${who} is not known: its sources stopped answering`,
      at: Math.min(...since),
    },
  ];
}

const channelsShown = 3;

/** The channels that may lead to the management server of a client without a response: one of them does. */
function describeChannels({ found: { record, periods, resolvedAt }, otherChannelsOf }: IssueFacts): Step[] {
  const [first] = periods;
  if (record.cause.kind !== 'unreached' || first === undefined || resolvedAt !== undefined) return [];
  const evidence = { kind: 'connections', clientId: first.clientId } as const;
  const shown = otherChannelsOf(first.clientId).toSorted(by(({ state }) => (state === 'READY' ? 1 : 0)));
  return shown.slice(0, channelsShown).map((channel) => {
    const { state, lastError } = channel;
    const error = lastError === undefined ? '' : `: ${lastError.slice(0, reasonChars)}`;
    return {
      step: 'report',
      text: `The channel to ${addressOfServer(channel)} is ${state}${error}`,
      evidence,
    };
  });
}

function fieldsOf(resource: IssueAt['record']['cause'], groupId: string): Step[] {
  const [first] = statementsOfResource(parseNackText(resource.text), resource);
  const reason = (first?.reason ?? resource.text).slice(0, reasonChars);
  if (reason === '') return [];
  const text = first?.fieldPath === undefined ? reason : `${first.fieldPath}: ${reason}`;
  return [{ step: 'field', text, evidence: { kind: 'nack', groupId } }];
}
