import type { RequestedKind, SourceKind } from '../../observation/source-kinds';

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
  /** Text in the list of sources. */
  readonly summary: string;
  /** Set if sources of the kind report clients: while one does not answer, clients may be missing. */
  readonly reportsClients?: true;
  /** Absent if sources of the kind are not added in the browser. */
  readonly form?: SourceForm;
}

const facts: Readonly<Record<SourceKind, SourceKindFacts>> = {
  csds: {
    summary: 'CSDS poll',
    reportsClients: true,
    form: {
      label: 'CSDS',
      target: 'a CSDS server',
      text: 'Poll CSDS on a client or control plane.',
      placeholder: '127.0.0.1:50051',
      parts: ['security', 'channelz'],
    },
  },
  'csds-list': { summary: 'list of CSDS targets', reportsClients: true },
  'envoy-admin': {
    summary: 'Envoy admin poll',
    reportsClients: true,
    form: {
      label: 'Envoy admin',
      target: 'the admin interface of an Envoy',
      text: 'Poll the admin interface of an Envoy for its config, hosts and certificates.',
      placeholder: '127.0.0.1:9901',
      parts: [],
    },
  },
  'envoy-admin-list': { summary: 'list of Envoy admin interfaces', reportsClients: true },
  istiod: {
    summary: 'istiod poll',
    reportsClients: true,
    form: {
      label: 'istiod',
      target: 'an istiod',
      text: 'Poll an istiod by its debug types: what it sent to each proxy, what was acknowledged, and its configs.',
      placeholder: 'istiod.istio-system.svc:15012',
      parts: ['security', 'node-id'],
    },
  },
  'istiod-list': { summary: 'list of istiods', reportsClients: true },
  channelz: {
    summary: 'channelz poll',
    form: {
      label: 'channelz',
      target: 'a channelz server',
      text: 'Poll channelz of a gRPC process: its connections to endpoints and management servers. It must serve CSDS on the same port.',
      placeholder: '127.0.0.1:50051',
      parts: ['security'],
    },
  },
  'channelz-list': { summary: 'list of channelz targets' },
  interop: {
    summary: 'test client poll',
    form: {
      label: 'Test client',
      target: 'a client of the gRPC xDS interop tests',
      text: 'Poll a client of the gRPC xDS interop tests for its RPCs by method and status (LoadBalancerStatsService). It must serve CSDS on the same port.',
      placeholder: '127.0.0.1:50052',
      parts: ['security'],
    },
  },
  'interop-list': { summary: 'list of test clients' },
  ads: {
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
  lrs: { summary: 'LRS listener' },
  lab: { summary: 'embedded lab' },
  tap: { summary: 'tap' },
  file: { summary: 'file' },
};

export function sourceKindFacts(kind: SourceKind): SourceKindFacts {
  return facts[kind];
}

export function formOf(kind: RequestedKind): SourceForm {
  const { form } = facts[kind];
  if (form === undefined) throw new Error(`expected a form of the source kind ${kind}, got none`);
  return form;
}
