import type { Vantage } from './vantage';

/** A group of settings in the form of a kind. `probe`: all settings of a probe. */
type FormPart = 'security' | 'node-id' | 'channelz' | 'probe';

interface SourceForm {
  readonly label: string;
  /** One sentence that states what the source does. */
  readonly text: string;
  /** The target, as in "answers as a CSDS server". */
  readonly target: string;
  /** An example of its target. */
  readonly placeholder: string;
  readonly parts: readonly FormPart[];
}

interface SourceKindFacts {
  /** The vantage of the observations that a source of the kind makes in its own process. */
  readonly vantage: Vantage;
  /** Text in the list of sources. */
  readonly summary: string;
  /** Set if sources of the kind report clients: while one does not answer, clients may be missing. */
  readonly reportsClients?: true;
  /** Absent if sources of the kind are not added in the browser or by API. */
  readonly form?: SourceForm;
  /** The summary of a list that finds targets of the kind in a file or behind a DNS name. Absent: there are no lists. */
  readonly list?: string;
}

const facts = {
  csds: {
    vantage: 'csds',
    summary: 'CSDS poll',
    list: 'list of CSDS targets',
    reportsClients: true,
    form: {
      label: 'CSDS',
      target: 'a CSDS server',
      text: 'Poll CSDS on a client or control plane.',
      placeholder: '127.0.0.1:50051',
      parts: ['security', 'channelz'],
    },
  },
  'envoy-admin': {
    vantage: 'envoy-admin',
    summary: 'Envoy admin poll',
    list: 'list of Envoy admin interfaces',
    reportsClients: true,
    form: {
      label: 'Envoy admin',
      target: 'the admin interface of an Envoy',
      text: 'Poll the admin interface of an Envoy for its config, hosts and certificates.',
      placeholder: '127.0.0.1:9901',
      parts: [],
    },
  },
  istiod: {
    vantage: 'istiod',
    summary: 'istiod poll',
    list: 'list of istiods',
    reportsClients: true,
    form: {
      label: 'istiod',
      target: 'an istiod',
      text: 'Poll an istiod by its debug types: what it sent to each proxy, what was acknowledged, and its configs.',
      placeholder: 'istiod.istio-system.svc:15012',
      parts: ['security', 'node-id'],
    },
  },
  channelz: {
    vantage: 'channelz',
    summary: 'channelz poll',
    list: 'list of channelz targets',
    form: {
      label: 'channelz',
      target: 'a channelz server',
      text: 'Poll channelz of a gRPC process: its connections to endpoints and management servers. It must serve CSDS on the same port.',
      placeholder: '127.0.0.1:50051',
      parts: ['security'],
    },
  },
  interop: {
    vantage: 'interop',
    summary: 'test client poll',
    list: 'list of test clients',
    form: {
      label: 'Test client',
      target: 'a client of the gRPC xDS interop tests',
      text: 'Poll a client of the gRPC xDS interop tests for its RPCs by method and status (LoadBalancerStatsService). It must serve CSDS on the same port.',
      placeholder: '127.0.0.1:50052',
      parts: ['security'],
    },
  },
  ads: {
    vantage: 'probe',
    summary: 'ADS probe',
    reportsClients: true,
    form: {
      label: 'ADS',
      target: 'an ADS server (a control plane)',
      text: 'Subscribe at a control plane with xdscope’s own xDS client.',
      placeholder: '127.0.0.1:50051',
      parts: ['security', 'probe'],
    },
  },
  lrs: { vantage: 'lrs', summary: 'LRS listener' },
  lab: { vantage: 'lab', summary: 'embedded lab' },
  tap: { vantage: 'tap', summary: 'tap' },
  file: { vantage: 'dump', summary: 'file' },
} as const satisfies Record<string, SourceKindFacts>;

type Facts = typeof facts;
type OwnKind = keyof Facts;
type KindWith<Field extends string> = {
  [Kind in OwnKind]: Facts[Kind] extends Record<Field, unknown> ? Kind : never;
}[OwnKind];
/** Kinds whose sources people add in the browser or by API. */
export type RequestedKind = KindWith<'form'>;
export type PolledKind = KindWith<'list'>;
/** Each target that a list finds is a source of the kind before "-list", with its `listId`. */
export type SourceKind = OwnKind | `${PolledKind}-list`;

const ownKinds = Object.keys(facts) as OwnKind[];
const all: Readonly<Partial<Record<SourceKind, SourceKindFacts>>> = Object.fromEntries(
  ownKinds.flatMap((kind): [string, SourceKindFacts][] => {
    const { form, list, ...common }: SourceKindFacts = facts[kind];
    const own: [string, SourceKindFacts] = [kind, facts[kind]];
    return list === undefined ? [own] : [own, [`${kind}-list`, { ...common, summary: list }]];
  }),
);

export const sourceKinds = Object.keys(all) as readonly SourceKind[];
export const requestedKinds: readonly RequestedKind[] = ownKinds.filter(
  (kind): kind is RequestedKind => 'form' in facts[kind],
);

export function sourceKindFacts(kind: SourceKind): SourceKindFacts {
  const found = all[kind];
  if (found === undefined) throw new Error(`expected a source kind, got ${kind}`);
  return found;
}

export function formOf(kind: RequestedKind): SourceForm {
  return facts[kind].form;
}

/** The kind of an undeclared source, concluded from the vantage of its observations. */
export function guessKind(vantage: Vantage): SourceKind {
  return ownKinds.find((kind) => facts[kind].vantage === vantage) ?? 'file';
}
