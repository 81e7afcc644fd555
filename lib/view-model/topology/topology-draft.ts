import type { GraphEdge, GraphEdgeKind, GraphNode, GraphNodeKind } from '../../api/schema';
import { findResourceType } from '../../xds/resource-type';
import type { HeldResources } from './held-resources';
import { childId, edgeId, rootId } from './node-id';
import type { Topology } from './topology';

type NewNode = Pick<GraphNode, 'kind' | 'name'> & Partial<GraphNode>;

export interface Target {
  readonly kind: GraphNodeKind;
  readonly typeUrl: string;
  readonly name: string;
}

interface Wanted extends Target {
  readonly by: string;
  isAsked: boolean;
}

/** A topology in the making. Nodes are added once; references may come before what they refer to. */
export class TopologyDraft {
  private readonly nodes: GraphNode[] = [];
  private readonly edges: GraphEdge[] = [];
  private readonly ids = new Set<string>();
  /** By id: what was referred to, whether held or not. */
  private readonly wanted = new Map<string, Wanted>();

  constructor(readonly held: HeldResources) {}

  add(id: string, node: NewNode): string {
    this.ids.add(id);
    this.nodes.push({
      status: 'NONE',
      detail: '',
      typeUrl: null,
      resourceName: null,
      hash: null,
      reason: '',
      stands: null,
      ...node,
      id,
    });
    return id;
  }

  /** Siblings with the same name are legal (two equal route matches): the second becomes "name#2". */
  addChild(parentId: string, part: string, edge: GraphEdgeKind, node: NewNode): string {
    const first = childId(parentId, part);
    let id = first;
    for (let nth = 2; this.ids.has(id); nth += 1) id = `${first}#${nth}`;
    this.add(id, node);
    this.connect(parentId, edge, id);
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
    const wanted = this.wanted.get(id);
    if (wanted === undefined) this.wanted.set(id, { ...target, by, isAsked });
    else wanted.isAsked ||= isAsked;
    this.connect(source, kind, id, label);
  }

  /** References to what was never added become nodes now. */
  finish(): Topology {
    for (const [id, wanted] of this.wanted) if (!this.ids.has(id)) this.addMissing(id, wanted);
    return { nodes: this.nodes, edges: this.edges };
  }

  private addMissing(id: string, { kind, name, typeUrl, by, isAsked }: Wanted): void {
    const noun = findResourceType(typeUrl)?.noun ?? kind;
    const told = this.held.tells(typeUrl);
    this.add(id, {
      kind,
      name,
      typeUrl,
      resourceName: name,
      status: told && isAsked ? 'MISSING' : 'UNKNOWN',
      detail: told && isAsked ? 'not held' : told ? 'not asked for' : 'not told',
      reason: missingReason(noun, by, told, isAsked),
    });
  }
}

function missingReason(noun: string, by: string, told: boolean, isAsked: boolean): string {
  if (!told) return `${by} refers to this ${noun}, and no source tells resources of this type`;
  if (!isAsked)
    return `${by} refers to this ${noun} from a virtual host that the client does not seem to use`;
  return `${by} refers to this ${noun}, and the client does not hold it`;
}
