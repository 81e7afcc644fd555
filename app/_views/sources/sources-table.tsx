import { type ReactNode, useState } from 'react';
import { useCommand } from '@/app/_ask/use-command';
import { Button } from '@/app/_components/button';
import { BytesText, NotReported } from '@/app/_components/bytes-text';
import { CopyButton } from '@/app/_components/copy-button';
import { ErrorLine } from '@/app/_components/error-line';
import { NameText } from '@/app/_components/name-text';
import { SegmentedChoice } from '@/app/_components/segmented-choice';
import { separator } from '@/app/_components/separator';
import { SourceMark } from '@/app/_components/source-mark';
import { TimeAgo } from '@/app/_components/time-ago';
import { useClockText } from '@/app/_hooks/use-clock-text';
import { by } from '@/lib/collections/compare';
import { formatBytes } from '@/lib/format/bytes';
import { formatCount, formatCounted } from '@/lib/format/count';
import { formatDuration } from '@/lib/format/duration';
import { formOf, sourceKindFacts } from '@/lib/observation/source-kinds';
import { buildTapBootstraps } from '@/lib/views/sources/build-tap-bootstraps';
import { describeCost, describeSlowed } from '@/lib/views/sources/describe-cost';
import type { Security, Source, SourceCostShown, TapShown } from '@/lib/views/sources/schema';
import { formatResourceType } from '@/lib/xds/resource-type';
import { ListMembers } from './list-members';
import { SourceActions } from './source-actions';
import { errorModelChoices, labelOf, profileChoices, transportChoices } from './source-choices';

const heads = [
  { id: 'state', label: 'State' },
  { id: 'source', label: 'Source' },
  { id: 'success', label: 'Last response', isNumber: true },
  { id: 'size', label: 'Size', isNumber: true },
  { id: 'answers', label: 'Responses', isNumber: true },
  { id: 'failures', label: 'Failures', isNumber: true },
  { id: 'latency', label: 'Latency', isNumber: true },
  { id: 'interval', label: 'Interval', isNumber: true },
  { id: 'clients', label: 'Clients', isNumber: true },
] as const;

/** Worst state first; otherwise the order of the server. */
const order: readonly Source['state'][] = ['down', 'connecting', 'up', 'paused'];

/** One row per source with its problems below; on a phone each row is a card. */
export function SourcesTable({ sources }: { readonly sources: readonly Source[] }) {
  const sorted = [...sources].sort(by((each) => order.indexOf(each.state)));
  return (
    <table className="w-full border-collapse max-lg:block">
      <thead className="bg-sunken max-lg:hidden">
        <tr>
          {heads.map((head) => (
            <th
              key={head.id}
              scope="col"
              className={`h-9 px-3 text-small font-medium whitespace-nowrap text-muted first:pl-4 ${'isNumber' in head ? 'text-right' : 'text-left'}`}
            >
              {head.label}
            </th>
          ))}
          <th scope="col">
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      {sorted.map((source) => (
        <SourceRows key={source.id} source={source} columns={heads.length + 1} />
      ))}
    </table>
  );
}

const grpcDefaultLimitBytes = 4 * 1024 * 1024;

const origins: Readonly<Record<Source['origin'], string>> = {
  flag: 'from a flag',
  config: 'from the config file',
  environment: 'from the environment',
  lab: 'from the lab',
  browser: 'added here',
  list: 'found by a list',
  collector: 'of a collector',
};

function SourceRows({ source, columns }: { readonly source: Source; readonly columns: number }) {
  const { state, health, label, target, origin, problem, notes, servedKind } = source;
  const servers = [...summariseTap(source), ...summariseServers(source)];
  const { lastSuccessAt, lastChangedAt, answerBytes, latencyMs, intervalMs } = source;
  return (
    <tbody className="border-t border-line max-lg:block max-lg:py-2">
      <tr className="align-middle max-lg:grid max-lg:grid-cols-4 max-lg:gap-y-1.5">
        <td className="h-12 px-3 pl-4 max-lg:col-span-1 max-lg:flex max-lg:h-auto max-lg:items-center max-lg:pl-0">
          <span title={`${label} ${health}`}>
            <SourceMark state={state} />
          </span>
        </td>
        <td className="max-w-0 min-w-56 px-3 py-1.5 lg:w-[36%] max-lg:order-first max-lg:col-span-3 max-lg:max-w-full max-lg:min-w-0 max-lg:pl-4">
          <NameText name={label} copy className="font-medium" />
          <p className="note">
            {summariseSource(source).join(separator)}
            {label !== target && (
              <>
                {separator}
                <span className="font-mono break-all">{target}</span>
              </>
            )}
            {separator}
            {origins[origin]}
          </p>
        </td>
        <Fact label="Last response">
          <TimeAgo at={lastSuccessAt} />
          {lastChangedAt !== undefined && (
            <p className="text-tiny whitespace-nowrap text-muted">
              changed <TimeAgo at={lastChangedAt} />
            </p>
          )}
        </Fact>
        <Fact label="Size">
          <BytesText sizeBytes={answerBytes} />
          {answerBytes !== undefined && answerBytes > grpcDefaultLimitBytes && (
            <p
              className="text-tiny whitespace-nowrap text-timeout"
              title="Above the default message limit of gRPC: other tools may fail to read it."
            >
              &gt; 4 MiB
            </p>
          )}
        </Fact>
        <Fact label="Responses">{formatCount(source.answers)}</Fact>
        <Fact label="Failures">
          <span className={source.failures > 0 ? 'text-nacked' : undefined}>
            {formatCount(source.failures)}
          </span>
        </Fact>
        <Fact label="Latency">{latencyMs === undefined ? <NotReported /> : formatDuration(latencyMs)}</Fact>
        <Fact label="Interval">
          {intervalMs === undefined ? <NotReported why="push-based" /> : formatDuration(intervalMs)}
        </Fact>
        <Fact label="Clients">
          {source.members === undefined ? formatCount(source.clients) : <NotReported why="see its targets" />}
        </Fact>
        <td className="px-3 text-right max-lg:col-span-4">
          <SourceActions source={source} />
        </td>
      </tr>
      {(problem !== undefined ||
        notes.length > 0 ||
        servers.length > 0 ||
        source.members !== undefined ||
        source.cost !== undefined) && (
        <tr className="max-lg:block">
          <td colSpan={columns} className="px-4 pb-3 max-lg:block max-lg:pt-1">
            <div className="flex flex-col gap-1 rounded-md bg-sunken px-3 py-2 text-medium">
              {problem !== undefined && (
                <>
                  <p className="break-words">
                    <span className="mr-2 font-mono text-small text-nacked">{problem.code}</span>
                    {problem.message}
                  </p>
                  {problem.hint !== '' && <p className="break-words text-muted">{problem.hint}</p>}
                  {servedKind !== undefined && <OfferedKind {...source} servedKind={servedKind} />}
                </>
              )}
              {servers.map((line) => (
                <p key={line} className="break-words text-muted">
                  {line}
                </p>
              ))}
              {notes.map((note) => (
                <p key={note} className="break-words text-muted">
                  {note}
                </p>
              ))}
              {source.cost !== undefined && <CostText cost={source.cost} />}
              {source.members !== undefined && <ListMembers listId={source.id} members={source.members} />}
              {source.tap !== undefined && <TapBootstraps tap={source.tap} />}
            </div>
          </td>
        </tr>
      )}
    </tbody>
  );
}

/** A cell with a number; on a phone it has a label, because there is no header. */
function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <td className="px-3 text-right max-lg:pr-0 max-lg:pl-4 max-lg:text-left">
      <span className="block text-tiny text-muted lg:hidden">{label}</span>
      {children}
    </td>
  );
}

/** States what polling costs the target of a source, and which requests follow more slowly than their interval. */
function CostText({ cost }: { readonly cost: SourceCostShown }) {
  const text = useClockText((now) => describeCost(cost, now));
  return (
    <>
      {cost.slowed.map((slowed) => (
        <p key={slowed.what} className="break-words text-timeout">
          {describeSlowed(slowed)}
        </p>
      ))}
      {/* The server's clock differs from the browser's. */}
      <p className="text-small break-words text-muted" suppressHydrationWarning>
        {text}
      </p>
    </>
  );
}

const securities: Readonly<Record<Security, string>> = { plain: '', tls: 'TLS', mtls: 'mTLS' };

export function summariseSource({ kind, security, settings }: Source): string[] {
  const { summary } = sourceKindFacts(kind);
  const secured = securities[security];
  if (settings === undefined) return [summary, secured].filter((word) => word !== '');
  const { transport, apiVersion, mode, profile, errorModel } = settings;
  return [
    transport === 'ads'
      ? summary
      : `probe, ${transport === 'file' ? 'files' : amidText(labelOf(transportChoices, transport))}`,
    apiVersion === 'v2' ? 'API v2' : '',
    mode === 'observe' ? 'observes' : `as a ${labelOf(profileChoices, profile)} client`,
    errorModel === 'a88' ? labelOf(errorModelChoices, errorModel) : '',
    secured,
  ].filter((word) => word !== '');
}

function summariseTap({ tap }: Source): string[] {
  if (tap === undefined) return [];
  const { listen, address, upstream, upstreamSecurity, connections, streams } = tap;
  const secured = securities[upstreamSecurity];
  const where = address === undefined ? `not listening on ${listen}` : `listens on ${address}`;
  const dropped = tap.droppedMessages;
  return [
    `${where}, relays to ${upstream}${secured === '' ? '' : ` over ${secured}`}`,
    [
      `${formatCounted(streams, 'stream')} open on ${formatCounted(connections, 'connection')}`,
      `${formatBytes(tap.bytesDown)} to clients, ${formatBytes(tap.bytesUp)} to the server`,
      dropped === 0 ? 'all messages recorded' : `${formatCounted(dropped, 'message')} not recorded`,
    ].join(' · '),
  ];
}

/** The servers of a source in their order of preference. */
export function summariseServers({ settings }: Source): string[] {
  if (settings === undefined) return [];
  const { servers, authorities, listeners, resources } = settings;
  const order = (targets: readonly string[]): string => targets.join(', then ');
  return [
    ...(servers.length > 1 ? [`servers: ${order(servers.map(({ target }) => target))}`] : []),
    ...authorities.map((each) => `authority "${each.name}": ${order(each.servers)}`),
    ...(listeners.length > 0 ? [`subscribes to ${shortList(listeners)}`] : []),
    ...Object.entries(resources).map(
      ([typeUrl, names]) => `subscribes to ${formatResourceType(typeUrl)} ${shortList(names)}`,
    ),
  ];
}

/** Lowers the article of "A stream for each type" within a line. */
function amidText(label: string): string {
  return label.replace(/^A (?=[a-z])/, 'a ');
}

const namesShown = 10;

function shortList(names: readonly string[]): string {
  const more = names.length - namesShown;
  return `${names.slice(0, namesShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function TapBootstraps({ tap }: { readonly tap: TapShown }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="group mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="cursor-pointer rounded text-muted hover:text-text">Bootstrap for this tap</summary>
      {isOpen && <Bootstraps tap={tap} />}
    </details>
  );
}

function Bootstraps({ tap }: { readonly tap: TapShown }) {
  // Runs in the browser only; the bootstrap uses the host name of the page.
  const bootstraps = buildTapBootstraps(tap, window.location.hostname);
  const [client, setClient] = useState(bootstraps[0]?.client ?? '');
  const chosen = bootstraps.find((each) => each.client === client) ?? bootstraps[0];
  if (chosen === undefined) return null;
  return (
    <div className="mt-2 flex flex-col gap-2">
      <div className="max-w-full overflow-x-auto">
        <SegmentedChoice
          label="Client"
          options={bootstraps.map((each) => ({ value: each.client, label: each.client }))}
          value={chosen.client}
          onChange={setClient}
        />
      </div>
      <p className="break-words text-muted">{chosen.note}</p>
      <div className="relative rounded-md border border-line bg-raised">
        <CopyButton
          text={chosen.text}
          label={`Copy the bootstrap for ${chosen.client}`}
          className="absolute top-1.5 right-1.5"
        />
        <code className="block px-3 py-2 pr-9 text-small leading-relaxed break-all whitespace-pre-wrap">
          {chosen.text}
        </code>
      </div>
    </div>
  );
}

type OfferedKindProps = Pick<Source, 'id' | 'target' | 'label' | 'origin'> & {
  readonly servedKind: NonNullable<Source['servedKind']>;
};

/** Adds the target as a source of the kind that it answers as. A source that was added in the browser is replaced. */
function OfferedKind({ id, target, label, origin, servedKind: kind }: OfferedKindProps) {
  const add = useCommand('POST sources');
  const remove = useCommand('DELETE sources/{id}');
  const isReplaced = origin === 'browser';
  const named = label === target ? {} : { label };
  const { label: name } = formOf(kind);
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button
        isPending={add.isPending || remove.isPending}
        onPress={() =>
          add.mutate({ kind, target, ...named }, { onSuccess: () => isReplaced && remove.mutate({ id }) })
        }
      >
        {isReplaced ? `Replace it with a source of kind ${name}` : `Add a source of kind ${name}`}
      </Button>
      <ErrorLine error={add.error ?? remove.error} />
    </div>
  );
}
