import { EmbeddedLab } from './embedded-lab';
import type { Lab, LabOptions } from './lab';

/** Resolves when the targets are known. Clients start afterwards. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const lab = new EmbeddedLab(options);
  await lab.start();
  return lab;
}
