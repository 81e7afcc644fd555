'use client';

import Link from 'next/link';
import { useRouter } from 'next/navigation';
import { useQueryStates } from 'nuqs';
import { useCallback, useDeferredValue, useRef } from 'react';
import { useQuestion } from '@/app/_ask/use-question';
import { NameText } from '@/app/_components/name-text';
import { useTimeZone } from '@/app/_hooks/use-time-zone';
import { FleetFilterField } from '@/app/_views/fleet/fleet-filter-field';
import { FleetTabs } from '@/app/_views/fleet/fleet-tabs';
import { GroupField } from '@/app/_views/fleet/group-field';
import {
  noSizeGroup,
  sizesQuestion,
  sizesSearchParams,
  sizesUrlKeys,
} from '@/app/_views/fleet/search-params';
import { useMetadataKeys } from '@/app/_views/fleet/use-metadata-keys';
import { ResponsesTable } from '@/app/_views/sizes/responses-table';
import { type SizesPlace, sizesHref } from '@/app/_views/sizes/sizes-href';
import { SizesTable } from '@/app/_views/sizes/sizes-table';
import { autoSizeGroup } from '@/lib/fleet/size-group';
import { formatBytes } from '@/lib/format/bytes';
import { formatCounted } from '@/lib/format/count';
import { formatAxisTime } from '@/lib/views/history/layout-axis';
import { layoutGrowth } from '@/lib/views/sizes/layout-growth';
import { layoutTreemap } from '@/lib/views/sizes/layout-treemap';
import type { SizesAnswer } from '@/lib/views/sizes/schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import { EmptyState } from '../../../../_components/empty-state';
import { Panel } from '../../../../_components/panel';
import { QueryContent } from '../../../../_components/query-content';
import { SearchField } from '../../../../_components/search-field';
import { SegmentedChoice } from '../../../../_components/segmented-choice';
import { PageBody } from '../../../../_components/shell/page-body';
import { PageHead } from '../../../../_components/shell/page-head';
import { useElementSize } from '../../../../_drawings/history/use-element-size';
import { GrowthDrawing } from '../../../../_drawings/sizes/growth-drawing';
import { TreemapDrawing } from '../../../../_drawings/sizes/treemap-drawing';

const treemapHeightPx = 380;
const what = {
  group: 'group',
  client: 'client',
  type: 'type',
  resource: 'resource',
  field: 'field',
} as const;

const groupChoices = [
  { value: autoSizeGroup, label: 'auto' },
  { value: noSizeGroup, label: 'none' },
  { value: 'runs', label: 'config' },
];

function groupName(group: string | undefined): string {
  return group === 'runs' ? 'config' : (group ?? '');
}

export function SizesPage() {
  const [place, setPlace] = useQueryStates(sizesSearchParams, {
    urlKeys: sizesUrlKeys,
    history: 'replace',
    throttleMs: 200,
  });
  const filter = useDeferredValue(place.filter);
  const metadataKeys = useMetadataKeys();
  const { data, error, refetch, isPlaceholderData } = useQuestion(
    'sizes',
    sizesQuestion({ ...place, filter }),
  );
  return (
    <PageBody>
      <PageHead title="Clients" vantage="config size per client, in protobuf bytes" />
      <FleetTabs current="sizes" filter={place.client === '' ? place.filter : ''} />
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SizesPath
          place={place}
          label={data?.responses.find(({ clientId }) => clientId === place.client)?.nodeId}
        />
        {place.client === '' && (
          <GroupField
            group={place.group}
            metadataKeys={metadataKeys}
            choices={groupChoices}
            onChange={(group) => setPlace({ group: group === autoSizeGroup ? null : group })}
          />
        )}
        {place.type === '' && (
          <SegmentedChoice
            label="Order"
            value={place.sort}
            options={[
              { value: 'bytes', label: 'By size' },
              { value: 'growth', label: 'By growth' },
            ]}
            onChange={(sort) => setPlace({ sort: sort === 'bytes' ? null : sort })}
          />
        )}
        {place.name === '' && (place.client === '' || place.type !== '') && (
          <SizesFilter
            isOfClients={place.client === ''}
            value={place.filter}
            onChange={(text) => setPlace({ filter: text === '' ? null : text })}
          />
        )}
      </div>
      <QueryContent query={{ data, error, refetch }} what="the sizes" rows={8}>
        {(data) => (
          <div aria-busy={isPlaceholderData} className="flex flex-col gap-3">
            <Sizes reported={data} place={place} />
          </div>
        )}
      </QueryContent>
    </PageBody>
  );
}

function Sizes({ reported, place }: { readonly reported: SizesAnswer; readonly place: SizesPlace }) {
  const router = useRouter();
  const next = nextPlace(reported, place);
  const open = useCallback((key: string) => next && router.push(sizesHref(next(key))), [next, router]);
  const { total, level, items, rest } = reported;
  const count = items.length + rest.items;
  const inside =
    level === 'group' ? `, in ${formatCounted(count, 'group')} by ${groupName(reported.group)}` : '';
  return (
    <>
      <Panel
        title={`${formatBytes(total.bytes)} in ${formatCounted(level === 'group' ? total.clients : count, level === 'group' ? 'client' : what[level])}${inside}`}
        vantage={vantageOf(reported)}
        flush
      >
        {total.bytes === 0 ? (
          <EmptyState title="No resource content reported">
            Clients and control planes may omit the content of resources from their CSDS responses.
          </EmptyState>
        ) : (
          <Treemap reported={reported} hrefOf={next && ((key) => sizesHref(next(key)))} />
        )}
        <SizesTable reported={reported} onOpen={next && open} />
      </Panel>
      <ResponsesTable reported={reported} />
      {level !== 'resource' && level !== 'field' && <GrowthPanel growth={reported.growth} level={level} />}
    </>
  );
}

function vantageOf({ total, level }: SizesAnswer): string {
  const parts = [
    level === 'field'
      ? 'on the wire, including tags and lengths'
      : formatCounted(total.resources, 'resource'),
    total.unreported > 0 ? `size not reported for ${formatCounted(total.unreported, 'resource')}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The place that an item opens; undefined for fields, which have no next level. */
function nextPlace({ level }: SizesAnswer, place: SizesPlace): ((key: string) => SizesPlace) | undefined {
  switch (level) {
    case 'group':
      return (filter) => ({
        ...place,
        filter: place.filter === '' ? filter : `${place.filter} ${filter}`,
        group: autoSizeGroup,
      });
    case 'client':
      return (client) => ({ ...place, client, type: '', name: '', filter: '' });
    case 'type':
      return (type) => ({ ...place, type, filter: '' });
    case 'resource':
      return (name) => ({ ...place, name, filter: '' });
    case 'field':
      return undefined;
  }
}

interface TreemapProps {
  readonly reported: SizesAnswer;
  readonly hrefOf: ((key: string) => string) | undefined;
}

function Treemap({ reported, hrefOf }: TreemapProps) {
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const [first] = reported.items;
  const by = reported.level === 'group' ? groupName(reported.group) : what[reported.level];
  const label = `Bytes by ${by}${first === undefined ? '' : `; the largest is ${first.label} with ${formatBytes(first.bytes)}`}`;
  return (
    <div ref={box} className="p-2" style={{ minHeight: treemapHeightPx }}>
      {widthPx > 16 && (
        <TreemapDrawing
          layout={layoutTreemap(reported, { widthPx: widthPx - 16, heightPx: treemapHeightPx })}
          label={label}
          hrefOf={hrefOf}
        />
      )}
    </div>
  );
}

interface SizesPathProps {
  readonly place: SizesPlace;
  /** Node ID of the client; undefined until it is loaded. */
  readonly label: string | undefined;
}

/** Breadcrumbs: client, type, resource. */
function SizesPath({ place, label }: SizesPathProps) {
  const { client, type, name } = place;
  // The sort order is kept.
  const nowhere: SizesPlace = { ...place, client: '', type: '', name: '', filter: '' };
  if (client === '') return null;
  const steps = [
    { href: sizesHref(nowhere), text: 'all clients' },
    { href: sizesHref({ ...nowhere, client }), text: label ?? client },
    ...(type === ''
      ? []
      : [{ href: sizesHref({ ...nowhere, client, type }), text: formatResourceType(type) }]),
    ...(name === '' ? [] : [{ href: sizesHref({ ...nowhere, client, type, name }), text: name }]),
  ];
  return (
    <nav aria-label="What is measured">
      <ol className="flex min-w-0 flex-wrap items-center gap-x-2">
        {steps.map(({ href, text }, index) => (
          <li key={href} className="flex min-w-0 items-center gap-2">
            {index > 0 && (
              <span aria-hidden="true" className="text-muted">
                ›
              </span>
            )}
            {index === steps.length - 1 ? (
              <span aria-current="page" className="min-w-0 font-medium">
                <NameText name={text} />
              </span>
            ) : (
              <Link href={href} className="min-w-0 link">
                {index === 0 ? text : <NameText name={text} />}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

interface SizesFilterProps {
  /** The list is of clients, otherwise of the resources of one. */
  readonly isOfClients: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function SizesFilter({ isOfClients, ...field }: SizesFilterProps) {
  const className = 'w-full md:w-80';
  return isOfClients ? (
    <FleetFilterField {...field} placeholder="Only clients such as zone=eu-1" className={className} />
  ) : (
    <SearchField {...field} label="Part of the name" placeholder="part of the name" className={className} />
  );
}

const heightPx = 180;

function GrowthPanel({ growth, level }: Pick<SizesAnswer, 'growth' | 'level'>) {
  const timeZone = useTimeZone();
  const whom = level === 'type' ? 'this client' : 'all clients';
  const box = useRef<HTMLDivElement>(null);
  const { widthPx } = useElementSize(box);
  const [first, last] = [growth[0], growth.at(-1)];
  const layout = widthPx > 0 && growth.length > 1 ? layoutGrowth(growth, { widthPx, heightPx }) : null;
  return (
    <Panel title="Growth" vantage={`${whom}, since the first measurement`} age={last?.at ?? null}>
      <div ref={box} style={{ minHeight: heightPx }}>
        {layout === null && (
          <EmptyState title="Not enough data yet">A sample is taken every 30 seconds.</EmptyState>
        )}
        {layout !== null && (
          <GrowthDrawing
            layout={layout}
            label={`Bytes of ${whom}: ${formatBytes(sumOf(first))} at first, ${formatBytes(sumOf(last))} now`}
            formatTick={(at) => formatAxisTime(at, layout.tickMs, timeZone)}
          />
        )}
      </div>
    </Panel>
  );
}

function sumOf(sample: SizesAnswer['growth'][number] | undefined): number {
  return (sample?.types ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
}
