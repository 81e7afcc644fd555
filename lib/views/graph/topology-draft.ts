import { CDS, EDS, RDS, SDS } from '../../xds/resource-type';
import type { GraphNodeStatus } from '../drawing/node-status';
import { describeHeld, explainStatus, type HeldResource, type HeldResources } from './held-resources';
import { type ChildIds, edgeId, rootId } from './node-id';
import type { GraphNodeKind } from './node-kinds';
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

/** A reference to a resource, which may be added later, or not be held at all. */
interface Reference {
  readonly edge: GraphEdgeKind;
  readonly to: keyof typeof typesOfTargets;
  readonly name: string;
  /** The referring element, as it is named to people. */
  readonly by: string;
  readonly label?: string;
  /** False if the client has no reason to request the resource. Its absence is no trouble then. */
  readonly isRequested?: boolean;
}

/** Gathers nodes and edges. Every held resource is added once, before or after the references to it. */
export class TopologyDraft {
  readonly #nodes: GraphNode[] = [];
  readonly #edges: GraphEdge[] = [];
  /** References to resources that are not held, by node ID. */
  readonly #missing = new Map<string, Reference>();

  /** The ids of clusters that send requests to all endpoints if none is healthy. */
  readonly panicking = new Set<string>();

  constructor(
    readonly held: HeldResources,
    readonly isGrpc: boolean,
  ) {}

  /** Adds the node of a whole resource. Its detail describes the status, then `details`; empty ones are left out. */
  addResource(
    resource: HeldResource,
    kind: GraphNodeKind,
    details: readonly string[] = [],
    idKind: string = kind,
  ): string {
    const { name, state } = resource.row;
    const detail = [describeHeld(resource), ...details].filter(Boolean).join(' · ');
    return this.add(rootId(idKind, name), resource, {
      kind,
      name: name || '(empty name)',
      status: state ?? 'NONE',
      reason: explainStatus(resource),
      detail,
    });
  }

  add(id: string, { typeUrl, row, hash }: HeldResource, node: NewNode): string {
    const isPart = node.kind === 'endpoint' || node.status === undefined || node.status === 'NONE';
    const isV2 = !isPart && row.apiVersion === 'v2';
    const shown = isV2 ? { ...node, detail: ['API v2', node.detail].filter(Boolean).join(' · ') } : node;
    this.#push(id, shown, typeUrl, row.name, hash);
    return id;
  }

  addChild(ids: ChildIds, part: string, edge: GraphEdgeKind, resource: HeldResource, node: NewNode): string {
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
    if (this.held.find(typesOfTargets[to].typeUrl, name) !== undefined) return;
    const known = this.#missing.get(id);
    if (known === undefined || (known.isRequested === false && isRequested))
      this.#missing.set(id, { ...known, ...reference, by: known?.by ?? reference.by, isRequested });
  }

  /** Adds the nodes of resources that are referred to and not held. */
  finish(): Topology {
    for (const [id, missing] of this.#missing) this.#addMissing(id, missing);
    return { nodes: this.#nodes, edges: this.#edges };
  }

  #addMissing(id: string, { to: kind, name, by, isRequested = true }: Reference): void {
    const { typeUrl, noun } = typesOfTargets[kind];
    const isReported = this.held.reports(typeUrl);
    const status = isReported && isRequested ? 'MISSING' : 'UNKNOWN';
    const detail = !isReported ? 'not reported' : isRequested ? 'not held' : 'not requested';
    const why = !isReported
      ? ', and no source reports resources of this type'
      : isRequested
        ? ', and the client does not hold it'
        : ' from a virtual host that the client does not seem to use';
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
