import { findOriginalVantage, type Vantage } from '../../observation/vantage';
import type { ClientDetail } from './schema';

interface ClientView {
  readonly label: string;
  /** The tooltip: what the tab shows, with the document that defines it. */
  readonly description: string;
  /** `shared`: a permalink stores what the tab shows beside the resources only if it was made from this tab. */
  readonly inPermalink: 'always' | 'shared';
  /** Shown only for clients that a source of the vantage reports. Absent: for every client. */
  readonly ofVantage?: Vantage;
}

/** The tabs of a client in their order, by their part of the path: of clients/{id}, at a moment, and of permalinks. */
export const clientViews = {
  graph: {
    label: 'Graph',
    description:
      'Listeners, routes, clusters, priorities, localities and endpoints of the client, with the state of each.',
    inPermalink: 'always',
  },
  resolved: {
    label: 'Effective config',
    description:
      'The config that the client composes of its resources for one listener: the XdsConfig of gRFC A74.',
    inPermalink: 'always',
  },
  explain: {
    label: 'Explain',
    description:
      'Where the client would send a request, and why: the first route that matches is used, and each earlier route has a condition that fails.',
    inPermalink: 'always',
  },
  failover: {
    label: 'Failover',
    description:
      'Which priorities receive requests when endpoints fail: gRFC A56, or "Priority levels" in the Envoy docs.',
    inPermalink: 'always',
  },
  resources: {
    label: 'Resources',
    description: 'Each resource that the client requested or has, with its version, answer and payload.',
    inPermalink: 'always',
  },
  connections: {
    label: 'Connections',
    description:
      'The endpoints of the config beside the client’s connections to them (channelz, gRFC A14), and where they disagree.',
    inPermalink: 'always',
  },
  load: {
    label: 'Load',
    description:
      'Requests by cluster and locality as the client reports them (LRS), beside what its config implies.',
    inPermalink: 'shared',
  },
  propagation: {
    label: 'Propagation',
    description:
      'Each resource at the probe, the control plane and the client (CSDS, gRFC A40), with the first mismatch.',
    inPermalink: 'shared',
  },
  findings: {
    label: 'Validation',
    description:
      'Rules of xDS, gRPC and Envoy that the resources violate, and what each client does then (gRFC A88).',
    inPermalink: 'always',
  },
  'test-client': {
    label: 'Test client',
    description:
      'RPCs by method and status, and by server, of a client of the gRPC xDS interop tests, and what it is configured to send.',
    inPermalink: 'always',
    ofVantage: 'interop',
  },
  history: {
    label: 'History',
    description:
      'Requests, responses, ACKs and NACKs of the client (xDS transport protocol), in their order.',
    inPermalink: 'shared',
  },
} as const satisfies Readonly<Record<string, ClientView>>;
export type ClientViewName = keyof typeof clientViews;

const views: Readonly<Record<ClientViewName, ClientView>> = clientViews;

/** The tabs of a client. `shared`: the tab that a permalink was made from; null: the client is not stored. */
export function listClientViews(
  { reports }: Pick<ClientDetail, 'reports'>,
  shared: string | null,
): ClientViewName[] {
  const vantages = new Set(reports.map(findOriginalVantage));
  return (Object.keys(clientViews) as ClientViewName[]).filter((id) => {
    const { inPermalink, ofVantage } = views[id];
    const isStored = shared === null || id === shared || inPermalink === 'always';
    return isStored && (ofVantage === undefined || vantages.has(ofVantage));
  });
}

export function isClientView(text: string | undefined): text is ClientViewName {
  return text !== undefined && Object.hasOwn(clientViews, text);
}
