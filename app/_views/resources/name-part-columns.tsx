import { column } from '@/app/_components/column';
import type { DataColumn } from '@/app/_components/data-column';
import { findNamePart, type NamePart } from '@/lib/format/names/name-part';
import type { ResourceRowJson } from '@/lib/views/resources/row-schema';

const facts: Readonly<Record<NamePart, readonly [header: string, widthPx: number, description: string]>> = {
  service: ['Service', 140, 'The service, workload or route that the name states'],
  namespace: ['Namespace', 112, 'The namespace that the name states'],
  port: ['Port', 80, 'The port that the name states'],
  subset: [
    'Subset',
    88,
    'The subset of the destination: of a DestinationRule, or of a Consul service resolver',
  ],
  direction: ['Direction', 92, 'Whether the resource is for inbound or outbound traffic of the proxy'],
  fqdn: ['FQDN', 240, 'The fully qualified domain name of the service'],
};

function namePartColumn(part: NamePart): DataColumn<ResourceRowJson> {
  const [header, widthPx, description] = facts[part];
  return column(part, header, (row: ResourceRowJson) => findNamePart(row.name, row.typeUrl, part), {
    widthPx,
    description,
    why: 'the name does not state it',
    as: (text) => <span className="font-mono text-[0.9286em] leading-tight wrap-anywhere">{text}</span>,
  });
}

export const namePartColumns = {
  service: namePartColumn('service'),
  namespace: namePartColumn('namespace'),
  port: namePartColumn('port'),
  subset: namePartColumn('subset'),
  direction: namePartColumn('direction'),
  fqdn: namePartColumn('fqdn'),
} satisfies Readonly<Record<NamePart, DataColumn<ResourceRowJson>>>;

export const namePartLabels = (part: NamePart): string => facts[part][0];
