import { formatCount, formatCounted } from '../../format/count';
import { nameOf } from '../../xds/profile';
import type { Check, CheckedResource } from './schema';

/** What the fleet would do, as sentences: the most important first. */
export function describeCheck({
  fleet,
  columns,
  total,
  resources,
  clientsInInput,
  clientsWithReferences,
  removedByNameTotal: removed = 0,
}: Check): string[] {
  const { clients, unidentified, wouldReject, holdersWouldReject: holders } = fleet;
  const isOne = total === 1;
  const them = isOne ? 'it' : 'them';
  const oneOfThem = isOne ? 'it' : 'one of them';
  const measured = columns.filter(({ isHint }) => !isHint);
  const cells = new Set(
    resources.flatMap((resource) => resource.cells.filter((_, index) => !columns[index]?.isHint)),
  );
  const unmeasured = columns.reduce((sum, column) => sum + (column.isHint ? column.clients : 0), 0);
  // Of resources that are not listed, it is only known that no client rejects them.
  const isOpen = cells.has('NO_FAULT_FOUND') || total > resources.length;
  const sentences: string[] = [];
  if (removed > 0) sentences.push(`The input removes ${formatCounted(removed, 'resource')} by name.`);
  if (total === 0) return [...sentences, 'It has no resource that a client could reject.'];
  if (measured.length === 0) sentences.push('No client of this fleet has a measured version.');
  else if (measured.every((column) => column.clients === 0)) {
    const rejecting = columns.flatMap(({ profile, isHint }, at) =>
      !isHint && resources.some((resource) => resource.cells[at] === 'NACK') ? [nameOf(profile)] : [],
    );
    sentences.push(
      rejecting.length > 0
        ? `${new Intl.ListFormat('en').format(rejecting)} would reject ${oneOfThem}.`
        : describeAcceptance(cells, {
            isOpen,
            isOne,
            none: 'None',
            every: 'Each',
            of: ' of the clients below',
          }),
      'No client of a known kind is in this fleet: the newest measured version of each kind is shown.',
    );
  } else if (wouldReject > 0) {
    const sent = `${formatCount(wouldReject)} of ${formatCounted(clients, 'client')} would reject ${oneOfThem}, if a control plane sent ${them}.`;
    const isHeld = total > resources.length || resources.some(({ holders: of }) => of?.clients !== 0);
    if (holders === undefined) sentences.push(sent);
    else if (!isHeld)
      sentences.push(sent, `No client has ${isOne ? 'this resource' : 'one of these resources'} now.`);
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
  } else
    sentences.push(
      describeAcceptance(cells, { isOpen, isOne, none: 'No', every: 'Every', of: ' client of a known kind' }),
    );
  if (unmeasured > 0)
    sentences.push(
      `${formatCounted(unmeasured, 'client')} ${unmeasured === 1 ? 'has a version' : 'have versions'} that ${unmeasured === 1 ? 'is' : 'are'} earlier than the measured ones: the verdicts for ${unmeasured === 1 ? 'it' : 'them'} are hints.`,
    );
  const nearest = columns.reduce((sum, column) => sum + (column.nearest ?? 0), 0);
  if (nearest > 0)
    sentences.push(
      `The ${nearest === 1 ? 'version of 1 client is' : `versions of ${formatCount(nearest)} clients are`} not measured: the verdicts for ${nearest === 1 ? 'it' : 'them'} are by the rules of the nearest earlier version that is measured.`,
    );
  if (clientsInInput !== undefined)
    sentences.push(
      `The input contains the config of ${formatCounted(clientsInInput, 'client')}: each is checked alone.`,
      ...(clientsWithReferences === undefined
        ? []
        : [`References are checked in the config of the first ${formatCount(clientsWithReferences)}.`]),
    );
  if (unidentified > 0)
    sentences.push(
      `${formatCounted(unidentified, 'client')} of an unknown kind ${unidentified === 1 ? 'is' : 'are'} not judged.`,
    );
  return sentences;
}

/** States what the clients would do, none of which is known to reject a resource. `isOpen`: not every part is checked. */
function describeAcceptance(
  cells: ReadonlySet<CheckedResource['cells'][number]>,
  {
    isOpen,
    isOne,
    none,
    every,
    of,
  }: { readonly isOpen: boolean; readonly isOne: boolean } & Readonly<
    Record<'none' | 'every' | 'of', string>
  >,
): string {
  const them = isOne ? 'it' : 'them';
  const oneOfThem = isOne ? 'it' : 'one of them';
  if (isOpen) return `${none}${of} is known to reject ${oneOfThem}; not every part is checked.`;
  if (cells.has('ACK_IGNORED'))
    return `${none}${of} would reject ${oneOfThem}; some would ACK and ignore ${oneOfThem}.`;
  if (!cells.has('ACK')) return `${none}${of} requests resources of ${isOne ? 'this type' : 'these types'}.`;
  const who = cells.has('NOT_REQUESTED') ? ` that requests ${them}` : '';
  return `${every}${of}${who} would accept ${them}.`;
}

/** Who has the resource now, and would reject the new one. Empty if that is not counted. */
export function describeHolders({ holders }: CheckedResource): string {
  if (holders === undefined) return '';
  const { clients, wouldReject } = holders;
  if (clients === 0) return 'no client has it';
  if (wouldReject === 0) return `${formatCounted(clients, 'client')} ${clients === 1 ? 'has' : 'have'} it`;
  return `${formatCount(wouldReject)} of ${formatCounted(clients, 'client')} that ${clients === 1 ? 'has' : 'have'} it would reject it`;
}
