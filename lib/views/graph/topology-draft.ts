import { CDS, EDS, RDS, SDS } from '../../xds/resource-type';
import type { GraphNodeStatus } from '../drawing/node-status';
import { type ChildIds, edgeId, rootId } from './node-id';
import type { GraphNodeKind } from './node-kinds';
import {
  describeReported,
  explainStatus,
  type ReportedResource,
  type ReportedResources,
} from './reported-resources';
import type { GraphEdge, GraphEdgeKind, GraphNode } from './schema';
import type { Topology } from './topology';

interface NewNode {
  readonly kind: GraphNodeKind;
  readonly name: string;
  readonly detail: string;
  /** NONE when absent. */
  readonly status?: GraphNodeStatus;
  readonly reason?: string;
  /** The field of the resource that the node represents. Absent: the whole resource, or not known. */
  readonly fieldPath?: string;
}

const typesOfTargets = { 'route-config': RDS, cluster: CDS, endpoints: EDS, secret: SDS } as const;

/** A reference to a resource, which may be added later, or not be reported at all. */
interface Reference {
  readonly edge: GraphEdgeKind;
  readonly to: keyof typeof typesOfTargets;
  readonly name: string;
  /** The referring element, as it is named to people. */
  readonly by: string;
  readonly label?: string;
  /** False if the client has no reason to request the resource. Its absence is not a problem then. */
  readonly isRequested?: boolean;
}

/** Ids of nodes of which more is known than their status. */
export interface GraphFacts {
  /** Clusters of an Envoy that sends requests to all endpoints of a priority, healthy or not. */
  readonly panicking: Set<string>;
  /** Clusters that are known to have no endpoint, and EDS resources of which nothing is in effect. */
  readonly empty: Set<string>;
  /**
   * The reasons why every request to a cluster fails: the cluster ends it itself, or load reports show it; of a route: it finds no
   * host; of a listener: no connection gets to a filter chain, or to a host.
   */
  readonly closed: Map<string, string>;
  /** Clusters whose circuit breaker rejects requests, with the text that states it. */
  readonly limited: Map<string, string>;
  /** Endpoints and localities that fail, as the client measured it. */
  readonly failing: Set<string>;
  /** Degraded endpoints of an Envoy, which uses them if too few are healthy. */
  readonly degraded: Set<string>;
}

/** Gathers nodes and edges. Every reported resource is added once, before or after the references to it. */
export class TopologyDraft {
  readonly #nodes: GraphNode[] = [];
  readonly #edges: GraphEdge[] = [];
  /** References to resources that are not reported, by node ID. */
  readonly #missing = new Map<string, Reference>();

  readonly facts: GraphFacts = {
    panicking: new Set(),
    empty: new Set(),
    closed: new Map(),
    limited: new Map(),
    failing: new Set(),
    degraded: new Set(),
  };

  readonly isGrpc: boolean;
  readonly lacksConnections: boolean;

  constructor(
    readonly reported: ReportedResources,
    { isGrpc, lacksConnections }: { readonly isGrpc: boolean; readonly lacksConnections: boolean },
  ) {
    this.isGrpc = isGrpc;
    this.lacksConnections = lacksConnections;
  }

  /** Adds the node of a whole resource. Its detail describes the status, then `details`; empty ones are left out. */
  addResource(
    resource: ReportedResource,
    kind: GraphNodeKind,
    details: readonly string[] = [],
    idKind: string = kind,
  ): string {
    const { name, state } = resource.row;
    const detail = [describeReported(resource), ...details].filter(Boolean).join(' · ');
    return this.add(rootId(idKind, name), resource, {
      kind,
      name: name || '(empty name)',
      status: state ?? 'NONE',
      reason: explainStatus(resource),
      detail,
    });
  }

  add(id: string, { typeUrl, row, hash }: ReportedResource, node: NewNode): string {
    const isPart = node.kind === 'endpoint' || node.status === undefined || node.status === 'NONE';
    const isV2 = !isPart && row.apiVersion === 'v2';
    const shown = isV2 ? { ...node, detail: ['API v2', node.detail].filter(Boolean).join(' · ') } : node;
    this.#push(id, shown, typeUrl, row.name, hash);
    return id;
  }

  addChild(
    ids: ChildIds,
    part: string,
    edge: GraphEdgeKind,
    resource: ReportedResource,
    node: NewNode,
  ): string {
    const id = this.add(ids.next(part), resource, node);
    this.connect(ids.parentId, edge, id);
    return id;
  }

  /** Precondition: no other edge has this source, kind and target. */
  connect(source: string, kind: GraphEdgeKind, target: string, label = ''): void {
    this.#edges.push({ id: edgeId(source, kind, target), source, target, kind, label });
  }

  refer(source: string, reference: Reference): void {
    const { edge, to, name, label, isRequested = true } = reference;
    const id = rootId(to, name);
    this.connect(source, edge, id, label);
    if (this.reported.find(typesOfTargets[to].typeUrl, name) !== undefined) return;
    const known = this.#missing.get(id);
    if (known === undefined || (known.isRequested === false && isRequested))
      this.#missing.set(id, { ...known, ...reference, by: known?.by ?? reference.by, isRequested });
  }

  /** Adds the nodes of resources that are referred to and not reported. */
  finish(): Topology {
    for (const [id, missing] of this.#missing) this.#addMissing(id, missing);
    return { nodes: this.#nodes, edges: this.#edges };
  }

  #addMissing(id: string, { to: kind, name, by, isRequested = true }: Reference): void {
    const { typeUrl, noun } = typesOfTargets[kind];
    const isReported = this.reported.reports(typeUrl);
    const whyUnknown = isRequested ? this.reported.whyNotInFile({ typeUrl, name }) : '';
    const isMissing = isReported && isRequested && whyUnknown === '';
    const status = isMissing ? 'MISSING' : 'UNKNOWN';
    const detail = isMissing ? 'not held' : isReported && !isRequested ? 'not requested' : 'not reported';
    const why = isMissing
      ? ', and the client does not hold it'
      : whyUnknown !== ''
        ? `: ${whyUnknown}`
        : isReported
          ? ' from a virtual host that the client does not seem to use'
          : ', and no source reports resources of this type';
    this.#push(
      id,
      { kind, name, status, detail, reason: `${by} refers to this ${noun}${why}` },
      typeUrl,
      name,
      undefined,
    );
  }

  #push(id: string, node: NewNode, typeUrl: string, resourceName: string, hash: string | undefined): void {
    const { kind, name, detail, status = 'NONE', reason = '', fieldPath } = node;
    const added: GraphNode = {
      id,
      kind,
      name,
      status,
      detail,
      typeUrl,
      resourceName,
      hash,
      reason,
      unused: '',
    };
    this.#nodes.push(fieldPath === undefined ? added : { ...added, fieldPath });
  }
}
