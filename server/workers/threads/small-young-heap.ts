/** The heap of new objects for threads that hold many objects and create few. V8 uses a third of it, 2 MB. */
export const smallYoungHeapMb = 6;
