import { formatCount, formatCounted } from '../../format/count';
import type { Check, CheckedResource } from './schema';

/** What the fleet would do, as sentences: the most important first. */
export function describeCheck({ fleet, columns, total, resources }: Check): string[] {
  const { clients, unidentified, wouldReject, holdersWouldReject: holders } = fleet;
  const isOne = total === 1;
  const them = isOne ? 'it' : 'them';
  const oneOfThem = isOne ? 'it' : 'one of them';
  const cells = new Set(resources.flatMap((resource) => resource.cells));
  // Of resources that are not listed, it is only known that no client rejects them.
  const isOpen = cells.has('NO_FAULT_FOUND') || total > resources.length;
  const sentences: string[] = [];
  if (columns.every((column) => column.clients === 0))
    sentences.push(
      'No client of a known kind is in this fleet: the newest measured version of each kind is shown.',
    );
  else if (wouldReject > 0) {
    const sent = `${formatCount(wouldReject)} of ${formatCounted(clients, 'client')} would reject ${oneOfThem}, if a control plane sent ${them}.`;
    if (holders === undefined) sentences.push(sent);
    else if (holders === 0)
      sentences.push(
        `No client that has ${isOne ? 'this resource' : 'one of these resources'} now would reject it.`,
        sent,
      );
    else
      sentences.push(
        `${formatCounted(holders, 'client')} that ${holders === 1 ? 'has' : 'have'} ${isOne ? 'this resource' : 'one of these resources'} now would reject it.`,
        ...(wouldReject > holders ? [sent] : []),
      );
  } else if (isOpen)
    sentences.push(`No client of a known kind is known to reject ${oneOfThem}; not every part is checked.`);
  else if (cells.has('ACK_IGNORED'))
    sentences.push(
      `No client of a known kind would reject ${oneOfThem}; some would ACK and ignore ${oneOfThem}.`,
    );
  else if (!cells.has('ACK'))
    sentences.push(`No client of a known kind requests resources of ${isOne ? 'this type' : 'these types'}.`);
  else {
    const who = cells.has('NOT_REQUESTED')
      ? `Every client of a known kind that requests ${them}`
      : 'Every client of a known kind';
    sentences.push(`${who} would accept ${them}.`);
  }
  if (unidentified > 0)
    sentences.push(
      `${formatCounted(unidentified, 'client')} of an unknown kind ${unidentified === 1 ? 'is' : 'are'} not judged.`,
    );
  return sentences;
}

/** Who has the resource now, and would reject the new one. Empty if that is not counted. */
export function describeHolders({ holders }: CheckedResource): string {
  if (holders === undefined) return '';
  const { clients, wouldReject } = holders;
  if (clients === 0) return 'no client has it';
  if (wouldReject === 0) return `${formatCounted(clients, 'client')} ${clients === 1 ? 'has' : 'have'} it`;
  return `${formatCount(wouldReject)} of ${formatCounted(clients, 'client')} that ${clients === 1 ? 'has' : 'have'} it would reject it`;
}
