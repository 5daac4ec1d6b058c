// SPDX-License-Identifier: Apache-2.0

package etcd

import (
	"context"
	"errors"
	"net/http"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// QuotaCheck is the name of the health check that CheckQuota returns.
const QuotaCheck = "etcd-quota"

// alarmTimeout is short, because a health check must respond in time.
const alarmTimeout = 2 * time.Second

// CheckQuota returns a health check that fails while etcd refuses writes because its database has
// reached the quota. Other checks report that etcd does not respond.
func CheckQuota(etcd clientv3.Maintenance) func(*http.Request) error {
	return func(r *http.Request) error {
		ctx, cancel := context.WithTimeout(r.Context(), alarmTimeout)
		defer cancel()
		answer, err := etcd.AlarmList(ctx)
		if err != nil {
			return nil
		}
		return quotaProblem(answer.Alarms)
	}
}

func quotaProblem(alarms []*pb.AlarmMember) error {
	for _, alarm := range alarms {
		if alarm.Alarm == pb.AlarmType_NOSPACE {
			return errors.New("etcd is full (alarm NOSPACE) and accepts no writes except deletes: delete unneeded objects, wait 5 minutes for " +
				"compaction, then run roadstead-apiserver defrag, which disarms the alarm")
		}
	}
	return nil
}
