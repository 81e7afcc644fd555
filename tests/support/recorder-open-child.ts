import { openWholeRecorder } from './open-recorder';

/** Opens and closes a recording. argv: data dir. */
const recorder = await openWholeRecorder({ dataDir: process.argv[2] ?? '' });
await recorder.close();
