import type { InstanceDifference } from '../../control-planes/instance-comparison';
import { formatResourceType } from '../../xds/resource-type';

const namesShown = 5;

/** "CDS of edge: only a:1 sends y; only b:1 sends z; x differs (versions 1 and 7)"; "CDS of edge: a:1 and b:1 send equal resources with the versions 1 and 7". */
export function describeDifference({
  kind,
  nodeId,
  typeUrl,
  servers: [first, second],
  versions,
  onlyFirst,
  onlySecond,
  differing,
}: Omit<InstanceDifference, 'since'>): string {
  const parts = [
    ...(onlyFirst.length > 0 ? [`only ${first} sends ${namesOf(onlyFirst)}`] : []),
    ...(onlySecond.length > 0 ? [`only ${second} sends ${namesOf(onlySecond)}`] : []),
    ...(differing.length > 0
      ? [`${namesOf(differing)} ${differing.length === 1 ? 'differs' : 'differ'}`]
      : []),
  ];
  const stated = versions.map((version) => version || 'none').join(' and ');
  if (kind === 'versions')
    return `${formatResourceType(typeUrl)} of ${nodeId}: ${first} and ${second} send equal resources with the versions ${stated}`;
  return `${formatResourceType(typeUrl)} of ${nodeId}: ${parts.join('; ')} (versions ${stated})`;
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, namesShown).join(', ');
  return names.length > namesShown ? `${shown} and ${names.length - namesShown} more` : shown;
}
