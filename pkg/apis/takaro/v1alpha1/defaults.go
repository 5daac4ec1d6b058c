// SPDX-License-Identifier: Apache-2.0

package v1alpha1

import (
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// DefaultCredentialsKey is the default Secret key of Takaro's admin token.
	DefaultCredentialsKey = "adminToken"
	// DefaultCABundleKey is the default Secret key of CA certificates.
	DefaultCABundleKey = "ca.crt"
	// DefaultPasswordKey is the default Secret key of a user's password.
	DefaultPasswordKey = "password"
	// UserSecretSuffix is appended to the name of a User to form the name of the Secret with its
	// login.
	UserSecretSuffix = "-takaro-user"
	// RegistrationSecretSuffix is appended to the name of a Domain to form the name of the Secret
	// with its registration token.
	RegistrationSecretSuffix = "-registration-token"
)

func addDefaultingFuncs(scheme *runtime.Scheme) error {
	return RegisterDefaults(scheme)
}

// SetDefaults_DomainSpec sets the fields of a Domain that have a fixed default. The strategy sets
// the default of spec.name, because metadata.name may not have been generated yet.
func SetDefaults_DomainSpec(spec *DomainSpec) {
	if ref := spec.CredentialsSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultCredentialsKey
	}
	if ref := spec.CABundleSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultCABundleKey
	}
	if spec.DeletionPolicy == "" {
		spec.DeletionPolicy = DeletionPolicyDelete
		if spec.Adopt {
			spec.DeletionPolicy = DeletionPolicyRetain
		}
	}
}

// SetDefaults_UserSpec sets the fields of a User that have a fixed default.
func SetDefaults_UserSpec(spec *UserSpec) {
	if ref := spec.PasswordSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultPasswordKey
	}
	orDefault(&spec.DashboardUser, true)
	if spec.DeletionPolicy == "" {
		spec.DeletionPolicy = UserDeletionPolicyDelete
		if spec.Adopt {
			spec.DeletionPolicy = UserDeletionPolicyRetain
		}
	}
}

// Defaults of a MockServer. The default event frequency is the default of Takaro.
const (
	defaultEventFrequency       = 50
	defaultTotalPlayers         = 10
	defaultWeekendBoost         = 15
	defaultVariance             = 5
	defaultReplicas             = 1
	defaultRedisPort      int32 = 6379
)

// SetDefaults_MockServerSpec sets the fields of a MockServer that have a fixed default.
func SetDefaults_MockServerSpec(spec *MockServerSpec) {
	if ref := spec.CredentialsSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultCredentialsKey
	}
	if ref := spec.CABundleSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultCABundleKey
	}
	events := &spec.SimulationFrequencies
	for _, frequency := range []**int32{&events.Chat, &events.Movement, &events.Connection, &events.Death, &events.Kill, &events.Item} {
		orDefault(frequency, defaultEventFrequency)
	}
	orDefault(&spec.TotalPlayers, defaultTotalPlayers)
	orDefault(&spec.PopulationWeekendBoost, defaultWeekendBoost)
	orDefault(&spec.PopulationVariance, defaultVariance)
	orDefault(&spec.AutoStart, true)
	orDefault(&spec.Replicas, defaultReplicas)
}

// SetDefaults_MockServerRedis sets the fields of a Redis that have a fixed default.
func SetDefaults_MockServerRedis(redis *MockServerRedis) {
	orDefault(&redis.Port, defaultRedisPort)
	if ref := redis.PasswordSecretRef; ref != nil && ref.Key == "" {
		ref.Key = DefaultPasswordKey
	}
}

func orDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
