import { EmbeddedLab } from './embedded-lab';
import type { Lab, LabOptions } from './lab';

/** Resolves as soon as the targets are known; the clients come up on their own. */
export async function startLab(options: LabOptions): Promise<Lab> {
  const lab = new EmbeddedLab(options);
  await lab.start();
  return lab;
}
