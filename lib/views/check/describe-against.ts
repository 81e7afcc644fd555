import { formatCount, formatCounted } from '../../format/count';
import { formatResourceType } from '../../xds/resource-type';
import { verdictTexts } from '../findings/reaction-shape';
import type { CheckAgainst } from './schema';

const mostNamed = 3;

/** What the client does with the resources, as sentences. */
export function describeAgainst(against: CheckAgainst): string[] {
  const { counts, isHint, removedTotal, rejected, undecided, unreached, listeners, listenersLeft } = against;
  const { added, changed, equal, absent, named = 0 } = counts;
  const parts = [
    added > 0 ? `${formatCounted(added, 'resource')} that the client does not have` : '',
    changed > 0 ? `${formatCounted(changed, 'resource')} that the client has with other content` : '',
    equal > 0
      ? `${formatCounted(equal, 'resource')} that the client has as ${equal === 1 ? 'it is' : 'they are'}`
      : '',
  ].filter((part) => part !== '');
  const lacking = `${formatCounted(absent, 'listener or cluster', 'listeners and clusters')} that the input lacks`;
  const sentences = [
    ...(parts.length === 0 ? [] : [`The input has ${parts.join(', ')}.`]),
    ...(named === 0
      ? []
      : [`${formatCounted(named, 'resource')} that it has ${named === 1 ? 'is' : 'are'} removed by name.`]),
    removedTotal > named
      ? `${lacking} ${absent === 1 ? 'is' : 'are'} removed.`
      : absent > 0
        ? `${lacking} ${absent === 1 ? 'stays' : 'stay'}.`
        : 'What the input lacks stays as it is.',
  ];
  for (const { typeUrl, name, verdict } of rejected.slice(0, mostNamed))
    sentences.push(
      `It ${verdictTexts[verdict].replace(' it', ` ${formatResourceType(typeUrl)} "${name}"`)}: the changes are without it.`,
    );
  if (rejected.length > mostNamed)
    sentences.push(
      `The changes are without ${formatCounted(rejected.length - mostNamed, 'more resource')} that it would not use.`,
    );
  if (undecided.length > 0)
    sentences.push(
      `It is not known whether it accepts ${nameSome(undecided)}: ${isHint ? 'its version is not measured' : `parts of ${undecided.length === 1 ? 'it' : 'them'} are not checked`}. The changes assume that it does.`,
    );
  if (unreached.length > 0) sentences.push(`No listener leads to ${nameSome(unreached)}.`);
  if (listenersLeft > 0)
    sentences.push(
      `${formatCounted(listeners.length, 'listener')} of ${formatCount(listeners.length + listenersLeft)} that lead to the resources are compared.`,
    );
  return sentences;
}

function nameSome(keys: readonly { readonly typeUrl: string; readonly name: string }[]): string {
  const named = keys
    .slice(0, mostNamed)
    .map(({ typeUrl, name }) => `${formatResourceType(typeUrl)} "${name}"`);
  const left = keys.length - named.length;
  return left === 0 ? named.join(', ') : `${named.join(', ')} and ${formatCount(left)} more`;
}
