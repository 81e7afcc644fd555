import type { Issue } from '../../api/issues';
import type { IssueAt } from '../../issues/issue-at';
import { parseNackText } from '../../nacks/parse-nack-text';
import { statementsOfResource } from '../../nacks/statements-of-resource';
import { formatResourceType } from '../../xds/resource-type';
import { nameResource } from './describe-issue-kind';

type Step = Issue['cause'][number];

const reasonChars = 300;

/** The chain from the push over the resource and its field to what changed; links that no source reports are left out. */
export function buildCauseSteps({ record, periods }: IssueAt): Step[] {
  const { kind, typeUrl, name, text, isTimeout } = record.cause;
  const [first] = periods;
  if (first === undefined) return [];
  const { clientId, fromSeq: seq, versionInfo, keepsAccepted } = first;
  const event = seq === null ? null : ({ kind: 'event', clientId, seq } as const);
  const service = formatResourceType(typeUrl);
  const push: Step[] =
    versionInfo === '' ? [] : [{ step: 'push', text: `${service} version ${versionInfo}`, evidence: event }];
  const resource: Step = {
    step: 'resource',
    text: nameResource(typeUrl, name),
    evidence: name === '' ? null : { kind: 'resource', clientId, typeUrl, name },
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
    case 'unreached':
      return [{ step: 'report', text: `No ${service} response since the client started`, evidence: event }];
    case 'tear':
      return [
        { ...resource, evidence: { kind: 'tears', clientId } },
        ...(text === ''
          ? []
          : [{ step: 'field', text: text.slice(0, reasonChars), evidence: null } as const]),
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

function fieldsOf(resource: IssueAt['record']['cause'], groupId: string): Step[] {
  const [first] = statementsOfResource(parseNackText(resource.text), resource);
  const reason = (first?.reason ?? resource.text).slice(0, reasonChars);
  if (reason === '') return [];
  const text = first?.fieldPath === undefined ? reason : `${first.fieldPath}: ${reason}`;
  return [{ step: 'field', text, evidence: { kind: 'nack', groupId } }];
}
