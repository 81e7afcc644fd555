import type { SizeGroup } from '../../fleet/size-group';
import { itemsPerStep, type Steps } from '../../steps/steps';
import type { FleetMember } from '../fleet/fleet-member';
import { fleetTerm } from '../fleet/separator';
import { valuesOfField } from '../fleet/values-of-field';

/** Empty: not reported, or it runs nothing. */
export function sizeGroupValues(member: FleetMember, group: SizeGroup): readonly string[] {
  if (group !== 'runs') return [...new Set(valuesOfField(member, group))];
  return member.content === '' ? [] : [member.content];
}

/** Equal for clients of one group. */
export function sizeGroupKey(values: readonly string[]): string {
  return values.join('\u0000');
}

/** A filter that leaves the clients of a group; of several values those that have all of them. */
export function sizeGroupFilter(group: SizeGroup, values: readonly string[]): string {
  return (values.length === 0 ? [''] : values).map((value) => fleetTerm(group, value)).join(' ');
}

/** Services first (an Envoy's node cluster), then who is alike, then where and what they are. */
const tried: readonly SizeGroup[] = ['cluster', 'runs', 'locality', 'source', 'agent'];

/** undefined: they are few enough to be shown one by one, or nothing puts them into at most `most` groups. */
export function* chooseSizeGroup(
  members: readonly FleetMember[],
  most: number,
): Steps<SizeGroup | undefined> {
  if (members.length <= most) return undefined;
  for (const group of tried) {
    const values = new Set<string>();
    for (const [index, member] of members.entries()) {
      values.add(sizeGroupKey(sizeGroupValues(member, group)));
      if (values.size > most) break;
      if (index % itemsPerStep === 0) yield;
    }
    if (values.size > 1 && values.size <= most) return group;
  }
  return undefined;
}
