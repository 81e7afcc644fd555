import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The files that a control plane watches: each is the config of one name. */
export class ConfigDir {
  constructor(readonly dir: string) {
    mkdirSync(dir, { recursive: true });
  }

  /** YAML documents. */
  set(name: string, documents: string): void {
    writeFileSync(path.join(this.dir, `${name}.yaml`), documents);
  }

  remove(name: string): void {
    rmSync(path.join(this.dir, `${name}.yaml`));
  }
}
