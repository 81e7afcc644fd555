import { itemsPerStep, type Steps } from '../../cooperative/steps';
import { formatCondition } from '../../filter/format-filter';
import type { SizeGroup } from '../../fleet/size-group';
import type { FleetMember } from '../fleet/fleet-member';
import { valuesOfField } from '../fleet/values-of-field';

/** Returns the values of a client's group; empty if none is reported, or the client has no config. */
export function sizeGroupValues(member: FleetMember, group: SizeGroup): readonly string[] {
  if (group !== 'runs') return [...new Set(valuesOfField(member, group))];
  return member.content === '' ? [] : [member.content];
}

/** Equal for clients of one group. */
export function sizeGroupKey(values: readonly string[]): string {
  return values.join('\u0000');
}

/** Formats a filter for the clients that have all values of a group. */
export function sizeGroupFilter(group: SizeGroup, values: readonly string[]): string {
  return (values.length === 0 ? [''] : values).map((value) => formatCondition(group, '=', value)).join(' ');
}

/** The groups in the order of preference: the node cluster is the service of an Envoy. */
const tried: readonly SizeGroup[] = ['cluster', 'runs', 'locality', 'source', 'agent'];

/** Chooses a field with at most `most` groups. Returns undefined if there is none, or if there are at most `most` clients. */
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
