import type { GraphEdge, GraphEdgeKind, GraphNode, GraphNodeKind, GraphNodeStatus } from '../../api/schema';
import { findResourceType } from '../../xds/resource-type';
import type { HeldResource, HeldResources } from './held-resources';
import { type ChildIds, edgeId, rootId } from './node-id';
import type { Topology } from './topology';

export interface NewNode {
  readonly kind: GraphNodeKind;
  readonly name: string;
  readonly detail: string;
  /** NONE when absent. */
  readonly status?: GraphNodeStatus;
  readonly reason?: string;
}

export interface Target {
  readonly kind: GraphNodeKind;
  readonly typeUrl: string;
  readonly name: string;
}

interface Missing extends Target {
  readonly by: string;
  isAsked: boolean;
}

/** A topology in the making. Every held resource is added once; references may come before what they refer to. */
export class TopologyDraft {
  private readonly nodes: GraphNode[] = [];
  private readonly edges: GraphEdge[] = [];
  /** By id: what was referred to and is not held. */
  private readonly missing = new Map<string, Missing>();

  constructor(readonly held: HeldResources) {}

  /** A node that stands for `resource`, or for a part of it. */
  add(id: string, { typeUrl, row, hash }: HeldResource, node: NewNode): string {
    const isPart = node.kind === 'endpoint' || node.status === undefined || node.status === 'NONE';
    const isV2 = !isPart && row.apiVersion === 'v2';
    const detail = isV2 ? ['API v2', node.detail].filter((part) => part !== '').join(' · ') : node.detail;
    this.push(id, { ...node, detail }, typeUrl, row.name, hash);
    return id;
  }

  addChild(ids: ChildIds, part: string, edge: GraphEdgeKind, resource: HeldResource, node: NewNode): string {
    const id = this.add(ids.next(part), resource, node);
    this.connect(ids.parentId, edge, id);
    return id;
  }

  /** The caller sees to it that source, kind and target come together once. */
  connect(source: string, kind: GraphEdgeKind, target: string, label = ''): void {
    this.edges.push({ id: edgeId(source, kind, target), source, target, kind, label });
  }

  /**
   * An edge to a resource that may not be held, or not be added yet. `isAsked` is false when the client has no reason
   * to ask for it, so that its absence is no trouble.
   */
  refer(source: string, kind: GraphEdgeKind, target: Target, by: string, label = '', isAsked = true): void {
    const id = rootId(target.kind, target.name);
    this.connect(source, kind, id, label);
    if (this.held.find(target.typeUrl, target.name) !== undefined) return;
    const missing = this.missing.get(id);
    if (missing === undefined) this.missing.set(id, { ...target, by, isAsked });
    else missing.isAsked ||= isAsked;
  }

  /** What is referred to and not held becomes nodes now. */
  finish(): Topology {
    for (const [id, missing] of this.missing) this.addMissing(id, missing);
    return { nodes: this.nodes, edges: this.edges };
  }

  private addMissing(id: string, { kind, name, typeUrl, by, isAsked }: Missing): void {
    const noun = findResourceType(typeUrl)?.noun ?? kind;
    const reported = this.held.reports(typeUrl);
    const status = reported && isAsked ? 'MISSING' : 'UNKNOWN';
    const detail = reported && isAsked ? 'not held' : reported ? 'not asked for' : 'not reported';
    const reason = `${by} refers to this ${noun}${missingReason(reported, isAsked)}`;
    this.push(id, { kind, name, status, detail, reason }, typeUrl, name, null);
  }

  private push(id: string, node: NewNode, typeUrl: string, resourceName: string, hash: string | null): void {
    const { kind, name, detail, status = 'NONE', reason = '' } = node;
    this.nodes.push({ id, kind, name, status, detail, typeUrl, resourceName, hash, reason, stands: null });
  }
}

function missingReason(reported: boolean, isAsked: boolean): string {
  if (!reported) return ', and no source reports resources of this type';
  if (!isAsked) return ' from a virtual host that the client does not seem to use';
  return ', and the client does not hold it';
}
