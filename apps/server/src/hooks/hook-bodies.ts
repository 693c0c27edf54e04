import { hookBodies } from '@pml/core/schemas'
import { agentNames } from '@pml/hooks'

export const { enforcementEvents, wantedApprovals } = hookBodies(agentNames)
