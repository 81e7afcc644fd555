import type { Side } from '@/lib/observation/observation';
import { PlannedReport } from './report-plan';

/**
 * An enclosing object of a document. What lies in it is of one client, which is named after the object unless a node id is
 * reported. Nothing of it belongs to a client of another scope. MUTABLE.
 */
export class DocumentScope {
  readonly #path: readonly string[];
  readonly #scopes: Map<PlannedReport, DocumentScope>;

  #own: PlannedReport | undefined;
  #hasDump = false;
  #sent: PlannedReport | undefined;

  constructor(parent?: DocumentScope, path: readonly string[] = []) {
    this.#path = path;
    this.#scopes = parent === undefined ? new Map() : parent.#scopes;
  }

  /** The reports of the whole document, in the order in which they were found. */
  get reports(): PlannedReport[] {
    return [...this.#scopes.keys()];
  }

  /** The scope of an object in a list. */
  enclose(): DocumentScope {
    return new DocumentScope(this, this.#path);
  }

  /** The scope of a member: a part of this client, or else another client, with the name of the member. */
  member(name: string): DocumentScope {
    return isAdminPart(name) ? this : new DocumentScope(this, [...this.#path, name]);
  }

  /** The report for parts that name no client: /clusters next to a /config_dump is of the same Envoy. */
  get own(): PlannedReport {
    this.#own ??= this.add('client');
    return this.#own;
  }

  /** The report of a config dump: after another dump in this scope, the parts that follow belong to it. */
  dump(): PlannedReport {
    if (this.#hasDump) this.#own = undefined;
    this.#hasDump = true;
    return this.own;
  }

  /** The report of resources that a control plane sent. */
  get sent(): PlannedReport {
    this.#sent ??= this.add('control-plane');
    return this.#sent;
  }

  add(side: Side | 'auto'): PlannedReport {
    const report = new PlannedReport(side);
    this.#scopes.set(report, this);
    return report;
  }

  /** Names reports after their scopes: by the last name, or by all names if that is not unique. MUTATES `reports`. */
  label(reports: readonly PlannedReport[]): void {
    const isOnlySent = reports.length === 1 && reports[0]?.side === 'control-plane';
    const scopes = new Set(reports.map((report) => this.#scopes.get(report) ?? this));
    const uses = new Map<string, number>();
    for (const scope of scopes) uses.set(scope.#name, (uses.get(scope.#name) ?? 0) + 1);
    for (const report of reports) {
      const scope = this.#scopes.get(report) ?? this;
      const isUnique = uses.get(scope.#name) === 1;
      report.label = isOnlySent ? '' : isUnique ? scope.#name : scope.#path.join('/');
    }
  }

  get #name(): string {
    return this.#path.at(-1) ?? '';
  }
}

/** What tools call the answers of Envoy's admin interface, and sections of a config dump, in lower case without separators. */
const parts = new Set([
  ...['configdump', 'clusters', 'listeners', 'serverinfo', 'certs', 'initdump', 'stats', 'memory', 'runtime'],
  ...['bootstrap', 'dump', 'config', 'configs', 'xds', 'envoy', 'data', 'resources', 'staticresources'],
  ...['cluster', 'listener', 'route', 'routes', 'endpoint', 'endpoints', 'hosts', 'secret', 'secrets'],
  ...['scopedroutes', 'virtualhosts', 'extensionconfigs'],
]);

/**
 * Returns whether a member of a document, as in "config_dump?include_eds" or "clusters.json", is a part of a client's state,
 * and not a client of that name.
 */
function isAdminPart(name: string): boolean {
  const [path = ''] = name.toLowerCase().split('?');
  return parts.has(path.replace(/\.(?:json|ya?ml|txt)$/, '').replace(/[^a-z]/g, ''));
}
