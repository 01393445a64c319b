/** Whether the run's content was deleted, with its project, its person or its temporary chat. */
export const isErased = ({ input }: { input: object }): boolean => "erasedAt" in input;
